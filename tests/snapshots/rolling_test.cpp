// Reloads that go from process to process.
#include "versions/versions_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class RollingTest : public VersionsFixture {
 protected:
  static constexpr int kProcesses = 20;
  static std::string name(int index) { return fmt::format("c{:02}", index); }
  Sandbox many() {
    std::vector<std::string> names;
    for (int i = 0; i < kProcesses; ++i) names.push_back(name(i));
    Sandbox sandbox = create(with_children(names));
    for (int i = 0; i < kProcesses; ++i) {
      for (int calls = 0; calls <= i; ++calls) ask(sandbox, "next", name(i));
    }
    return sandbox;
  }
  static ReloadOptions rolling() { return {.policy = ReloadPolicy{.rolling = true}}; }
};

TEST_F(RollingTest, SwitchesAllOneAfterAnother) {
  Sandbox sandbox = many();
  const auto report = sandbox.reload("service", code(2), rolling());
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->processes.size(), kProcesses);
  EXPECT_EQ(active(sandbox), 2U);
  for (int i = 0; i < kProcesses; ++i) {
    EXPECT_EQ(ask(sandbox, "version", name(i)), 2);
    EXPECT_EQ(ask(sandbox, "next", name(i)), i + 2);
  }
}

TEST_F(RollingTest, GoesBackWithAllWhenOneFails) {
  Sandbox sandbox = many();
  const std::string picky =
      service(2, R"((global $count (export "state.count") (mut i32) (i32.const 0)))",
              R"((func (export "petri_ready") (result i32) (i32.ge_s (global.get $count) (i32.const 15))))");
  const auto report = sandbox.reload("service", Source::wat(picky), rolling());
  EXPECT_EQ(code_of(report), ErrorCode::start_failed);
  EXPECT_THAT(numbers(sandbox), ElementsAre(1));
  for (int i = 0; i < kProcesses; ++i) {
    EXPECT_EQ(ask(sandbox, "version", name(i)), 1);
    EXPECT_EQ(ask(sandbox, "next", name(i)), i + 2);
  }
}

// The first of them has its timer from before the switch again, for its state knows nothing of the ring.
TEST_F(RollingTest, GoesBackWithTheTimersOfTheSwitch) {
  constexpr std::string_view kTicker = R"((module
    (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
    (global $seen (export "state.seen") (mut i32) (i32.const 0))
    (func (export "set") (result i32) (call $timer (i32.const 10000) (i64.const 1)))
    (func (export "seen") (result i32) (global.get $seen))
    (func (export "petri_handle") (result i32)
      (global.set $seen (i32.add (global.get $seen) (i32.const {}))) (i32.const 0))))";
  const auto ticker = [&](int step) { return Source::wat(fmt::format(fmt::runtime(kTicker), step)); };
  testing::ManualTime time;
  runtime_ = std::move(*Runtime::create(in_tier_under_test({.workers = 2, .clock = time.clock()})));
  SandboxSpec wanted = with_children({"x", "y"});
  wanted.modules[0].source = ticker(1);
  Sandbox sandbox = create(wanted);
  EXPECT_EQ(ask(sandbox, "set", "x"), 0);
  ReloadOptions options = rolling();
  options.policy->migrate.described = [&](const Migration& migration,
                                          const StateDocument& state) -> Result<StateDocument> {
    if (migration.process == "x") return state;
    time.advance(*runtime_, std::chrono::seconds(10));
    expect_soon([&] { return ask(sandbox, "seen", "x") == 100 ? "" : "it has not rung"; });
    return fail(ErrorCode::rejected, "no");
  };
  EXPECT_EQ(code_of(sandbox.reload("service", ticker(100), options)), ErrorCode::migration_failed);
  expect_soon([&] { return ask(sandbox, "seen", "x") == 1 ? "" : "it has not rung again"; });
  ASSERT_TRUE(runtime_->destroy("a"));
  runtime_.reset();  // before its clock
}

TEST_F(RollingTest, LeavesOthersAloneWhileOneDoesNotQuiesce) {
  Sandbox sandbox = many();
  std::stop_source stop;
  const auto before = sandbox.usage().cpu_time;
  auto spinning = std::async(std::launch::async,
                             [&] { return sandbox.call("spin", {}, {.process = name(7), .stop = stop.get_token()}); });
  expect_soon([&] { return sandbox.usage().cpu_time > before ? "" : "does not spin yet"; });
  ReloadOptions options = rolling();
  options.policy->quiet_wait_max = std::chrono::milliseconds(20);
  const auto report = sandbox.reload("service", code(2), options);
  EXPECT_EQ(code_of(report), ErrorCode::busy);
  EXPECT_THAT(report.error().message, HasSubstr("c07"));
  EXPECT_EQ(ask(sandbox, "version", name(3)), 1);
  stop.request_stop();
  EXPECT_EQ(spinning.get()->kind, OutcomeKind::cancelled);
}

TEST_F(RollingTest, IsRolledBackAsAWholeByACrashInItsTrial) {
  Sandbox sandbox = many();
  ASSERT_TRUE(sandbox.reload("service", code(2), rolling()));
  EXPECT_EQ(call_kind(sandbox, "crash", name(5)), OutcomeKind::trapped);
  expect_soon([&] { return active(sandbox) == 1 ? "" : "not yet back"; });
  for (int i = 0; i < kProcesses; ++i) EXPECT_EQ(ask(sandbox, "version", name(i)), 1);
}

}  // namespace
}  // namespace petri
