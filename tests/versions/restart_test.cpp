// L24: a restart keeps versions, and state when it is asked to.
#include "state_guests.h"

namespace petri {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr RestartOptions kKeepState{.keep_state = true};

// Counts in a global that nobody sees; `more` is put into the module.
std::string counter(int version, std::string_view more = "") {
  return fmt::format(R"((module {1}
    (global $count (mut i32) (i32.const 0))
    (func (export "next") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const 1))) (global.get $count))
    (func (export "crash") unreachable)
    (func (export "version") (result i32) (i32.const {0}))))",
                     version, more);
}
// Its state is what the hooks say; a petri_migrate that is asked spoils it.
std::string with_hooks(std::string_view save = "") {
  return counter(1, fmt::format(R"({} {} (memory 1)
    (func (export "petri_save") (result i32) {}
      (i32.store (i32.const 0) (global.get $count)) (drop (call $write (i32.const 0) (i32.const 4))) (i32.const 0))
    (func (export "petri_migrate") (result i32) (drop (call $write (i32.const 64) (i32.const 4))) (i32.const 0))
    (func (export "petri_load") (result i32)
      (drop (call $read (i32.const 0) (i32.const 0) (i32.const 4)))
      (global.set $count (i32.load (i32.const 0))) (i32.const 0)))",
                                kInput, kOutput, save));
}

class RestartTest : public VersionsFixture {
 protected:
  static SandboxSpec made_of(std::string text, std::string id = "a") {
    return {.id = std::move(id), .modules = {{"service", Source::wat(std::move(text))}}};
  }
  // A failed restart leaves everything as it is: the count continues, and nobody was stopped.
  void expect_refused(Sandbox& sandbox, ErrorCode code, std::string_view why) {
    const std::int64_t before = ask(sandbox, "next");
    auto events = runtime_->subscribe({.kinds = {EventKind::process_started, EventKind::process_exited}});
    const auto refused = sandbox.restart(kKeepState);
    EXPECT_EQ(code_of(refused), code);
    EXPECT_THAT(refused.error().message, HasSubstr(std::string(why)));
    EXPECT_EQ(sandbox.status(), SandboxStatus::running);
    EXPECT_EQ(ask(sandbox, "next"), before + 1);
    EXPECT_EQ(sandbox.info().restarts, 0U);
    EXPECT_EQ(events->wait_until(std::chrono::steady_clock::now()), nullptr);
  }
};

TEST_F(RestartTest, RunsTheReloadedVersionFromItsStart) {  // L24
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  EXPECT_EQ(ask(sandbox, "next"), 1);
  EXPECT_EQ(ask(sandbox, "next"), 2);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(ask(sandbox, "version"), 2);
  EXPECT_EQ(ask(sandbox, "next"), 1);
}

TEST_F(RestartTest, ContinuesWithTheLastValueWhenAskedToKeepState) {  // L24
  const std::vector<std::pair<std::string, std::string>> guests{
      {"described", service(1)}, {"hooks", with_hooks()}, {"memory", counter(1)}};
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    for (const auto& [way, text] : guests) {
      SCOPED_TRACE(fmt::format("{} {}", name_of(tier), way));
      SandboxSpec wanted = made_of(text, fmt::format("{}-{}", way, name_of(tier)));
      wanted.tier = tier;
      Sandbox sandbox = create(wanted);
      for (int i = 1; i <= 41; ++i) EXPECT_EQ(ask(sandbox, "next"), i);
      const auto restarted = sandbox.restart(kKeepState);
      ASSERT_TRUE(restarted) << restarted.error().message;
      EXPECT_EQ(ask(sandbox, "next"), 42);
      EXPECT_EQ(sandbox.info().restarts, 1U);
      EXPECT_EQ(sandbox.usage().processes, 1U);
      ASSERT_TRUE(sandbox.restart());
      EXPECT_EQ(ask(sandbox, "next"), 1);
    }
  }
}

TEST_F(RestartTest, KeepsVersionsBesideState) {  // L24
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  ask(sandbox, "next");
  ASSERT_TRUE(sandbox.restart(kKeepState));
  EXPECT_EQ(ask(sandbox, "version"), 2);
  EXPECT_EQ(ask(sandbox, "next"), 2);
  ASSERT_TRUE(sandbox.rollback("service", 1));
  EXPECT_EQ(ask(sandbox, "next"), 3);
}

TEST_F(RestartTest, KeepsTheStateOfEachProcessAlsoOfThoseThatWereSpawned) {
  constexpr std::string_view kParent = R"((import "petri" "spawn" (func $spawn (param i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "{\"id\": \"child\", \"module\": \"service\"}")
    (func (export "have_child") (result i32) (call $spawn (i32.const 0) (i32.const 36))))";
  SandboxSpec wanted = made_of(counter(1, kParent));
  wanted.permissions = Permissions::standard().with(Permission::spawn);
  Sandbox sandbox = create(wanted);
  ASSERT_EQ(ask(sandbox, "have_child", "service"), 0);
  ask(sandbox, "next", "child");
  ask(sandbox, "next", "child");
  ask(sandbox, "next", "service");
  const auto restarted = sandbox.restart(kKeepState);
  ASSERT_TRUE(restarted) << restarted.error().message;
  EXPECT_EQ(ask(sandbox, "next", "child"), 3);
  EXPECT_EQ(ask(sandbox, "next", "service"), 2);
}

TEST_F(RestartTest, KeepsTheTimersAndRandomStateThatBelongToState) {
  const std::string guest = counter(1, R"((import "petri" "timer" (func $timer (param i32 i64) (result i32)))
    (import "petri" "random" (func $random (result i64)))
    (func (export "later") (result i32) (call $timer (i32.const 3600000) (i64.const 7)))
    (func (export "petri_handle") (result i32) (i32.const 0))
    (func (export "draw") (result i64) (call $random)))");
  Sandbox sandbox = create(made_of(guest));
  ASSERT_EQ(ask(sandbox, "later"), 0);
  auto twin = runtime_->fork("a", "twin", {.share_random = true});
  ASSERT_TRUE(twin);
  ASSERT_TRUE(sandbox.restart(kKeepState));
  EXPECT_EQ(sandbox.snapshot()->info().timers, 1U);
  EXPECT_EQ(ask(sandbox, "draw"), ask(*twin, "draw"));
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(sandbox.snapshot()->info().timers, 0U);
}

TEST_F(RestartTest, DoesNotRunInitWhereStateIsKept) {
  Sandbox sandbox = create(made_of(counter(1, R"((func (export "petri_init") (result i32)
    (global.set $count (i32.add (global.get $count) (i32.const 100))) (i32.const 0)))")));
  EXPECT_EQ(ask(sandbox, "next"), 101);
  ASSERT_TRUE(sandbox.restart(kKeepState));
  EXPECT_EQ(ask(sandbox, "next"), 102);
}

TEST_F(RestartTest, KeepsStateInADeterministicSandbox) {
  SandboxSpec wanted = made_of(service(1));
  wanted.deterministic = true;
  Sandbox sandbox = create(wanted);
  ask(sandbox, "next");
  ASSERT_TRUE(sandbox.restart(kKeepState));
  EXPECT_EQ(ask(sandbox, "next"), 2);
}

TEST_F(RestartTest, ThatCannotKeepStateStopsNothing) {
  Sandbox traps = create(made_of(with_hooks("unreachable"), "traps"));
  expect_refused(traps, ErrorCode::migration_failed, "petri_save");

  Sandbox not_ready = create(made_of(
      counter(1, R"((func (export "petri_ready") (result i32) (i32.ne (global.get $count) (i32.const 0))))"), "ready"));
  expect_refused(not_ready, ErrorCode::start_failed, "petri_ready");

  Sandbox fixed = create(made_of(counter(1,
                                         "(table $t 2 funcref) (elem declare func $f) (func $f)"
                                         "(func (export \"set\") (table.set $t (i32.const 0) (ref.func $f)))"),
                                 "fixed"));
  expect_refused(fixed, ErrorCode::state_incompatible, "not movable");

  SandboxSpec large = made_of(counter(1, "(memory 4) (data (i32.const 0) \"x\")"), "large");
  large.limits.state_bytes_max = 64;
  Sandbox too_large = create(large);
  expect_refused(too_large, ErrorCode::limit_exceeded, "state_bytes_max");

  SandboxSpec wide = made_of(counter(1, "(memory 3)"), "wide");
  wide.limits.memory_bytes_max = wide.limits.process_memory_bytes_max = std::uint64_t{5} * 65'536;
  Sandbox short_of_memory = create(wide);
  expect_refused(short_of_memory, ErrorCode::limit_exceeded, "memory_bytes_max");
}

TEST_F(RestartTest, OfWhatDoesNotRunHasNoStateToKeep) {
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.stop());
  const auto refused = sandbox.restart(kKeepState);
  EXPECT_EQ(code_of(refused), ErrorCode::rejected);
  EXPECT_THAT(refused.error().message, AllOf(HasSubstr("stopped"), HasSubstr("no state")));
  EXPECT_EQ(sandbox.status(), SandboxStatus::stopped);
  EXPECT_TRUE(sandbox.restart());
  ASSERT_TRUE(runtime_->destroy("a"));
  EXPECT_EQ(code_of(sandbox.restart(kKeepState)), ErrorCode::not_found);
  EXPECT_EQ(code_of(runtime_->restart("a", kKeepState)), ErrorCode::not_found);
}

// While it is held x gets messages; they continue with it, and the call that waits is answered.
TEST_F(RestartTest, KeepsMessagesThatWaitAndCancelsCallsThatDo) {
  Crossing crossing;
  RuntimeOptions options = in_tier_under_test({.workers = 2});
  ASSERT_TRUE(options.host.define("test", "cross", [&] { crossing.pass(); }));
  runtime_ = std::move(*Runtime::create(std::move(options)));
  Sandbox sandbox = create(made_of(counter(1, R"((import "test" "cross" (func $cross))
    (func (export "hold") (call $cross))
    (func (export "petri_handle") (result i32)
      (global.set $count (i32.add (global.get $count) (i32.const 10))) (i32.const 0)))")));
  auto holding = std::async(std::launch::async, [&] { return sandbox.call("hold"); });
  crossing.wait_for(1);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(sandbox.send("x"));
  auto restarting = std::async(std::launch::async, [&] { return sandbox.restart(kKeepState); });
  expect_soon([&] { return sandbox.status() == SandboxStatus::reloading ? "" : "not yet"; });
  crossing.open();
  EXPECT_TRUE(holding.get());
  const auto restarted = restarting.get();
  ASSERT_TRUE(restarted) << restarted.error().message;
  expect_soon([&] { return ask(sandbox, "next") > 30 ? "" : "messages are lost"; });
}

}  // namespace
}  // namespace petri
