// Area M of docs/behaviours.md: versions that are staged, kept and listed, and modules that nobody runs.
#include "engine/sha256.h"
#include "state_guests.h"
#include "watched_artifact.h"

namespace petri {
namespace {

using ::testing::ElementsAre;

using ModulesTest = VersionsFixture;

// M23: call 100 is the last of the trial, and so is a second the end of it.
TEST_F(ModulesTest, StayWithNewCodeAfterItsTrial) {
  struct Row {
    int calls;
    std::chrono::nanoseconds time;
    std::uint64_t version;
  };
  constexpr std::chrono::nanoseconds kSecond = std::chrono::seconds(1);
  for (const auto& [calls, later, version] :
       {Row{99, {}, 1}, Row{100, {}, 2}, Row{0, kSecond, 1}, Row{0, kSecond + std::chrono::nanoseconds(1), 2}}) {
    testing::ManualTime time;
    runtime_ = std::move(*Runtime::create(in_tier_under_test({.workers = 2, .clock = time.clock()})));
    Sandbox sandbox = create(with_children({"x"}));
    auto events = *runtime_->subscribe({.kinds = {EventKind::module_rolled_back, EventKind::process_restarted}});
    ASSERT_TRUE(sandbox.reload("service", code(2)));
    for (int i = 0; i < calls; ++i) EXPECT_EQ(ask(sandbox, "next", "x"), i + 1);
    if (later.count() > 0) time.advance(*runtime_, later);
    EXPECT_EQ(call_kind(sandbox, "crash", "x"), OutcomeKind::trapped);
    const EventPtr event = events.wait_until(std::chrono::steady_clock::now() + std::chrono::seconds(30));
    ASSERT_NE(event, nullptr);
    EXPECT_EQ(event->kind, version == 1 ? EventKind::module_rolled_back : EventKind::process_restarted)
        << calls << " calls, " << later.count() << " ns";
    EXPECT_EQ(ask(sandbox, "version", "x"), version) << calls << " calls, " << later.count() << " ns";
    EXPECT_EQ(active(sandbox), version);
    EXPECT_EQ(ask(sandbox, "next", "x"), 1) << "fresh state, or that of the switch";
    expect_soon([&] { return sandbox.info().supervisor_restarts == version - 1 ? "" : "not counted"; });
    runtime_.reset();  // before its clock
  }
}

TEST_F(ModulesTest, StageAVersionWithoutTouchingWhatRuns) {  // M32
  Sandbox sandbox = create(spec());
  const auto staged = sandbox.stage("service", code(2));
  ASSERT_TRUE(staged) << staged.error().message;
  EXPECT_EQ(staged->number, 2U);
  EXPECT_FALSE(staged->active);
  EXPECT_EQ(ask(sandbox, "version"), 1);
  EXPECT_EQ(code_of(sandbox.stage("service", Source::wat("(module (import \"petri\" \"nothing\" (func)))"))),
            ErrorCode::link_error);
  EXPECT_THAT(numbers(sandbox), ElementsAre(2, 1));
  ASSERT_TRUE(sandbox.activate("service", 2));
  EXPECT_EQ(ask(sandbox, "version"), 2);
}

TEST_F(ModulesTest, TellTheirHistory) {  // M33
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.reload("service", code(2), {.actor = "ann"}));
  ASSERT_TRUE(sandbox.rollback("service", 1, {.actor = "bob"}));
  const auto history = sandbox.history("service");
  ASSERT_TRUE(history);
  EXPECT_EQ(history->active, 1U);
  EXPECT_EQ(history->total, 2U);
  ASSERT_EQ(history->switches.size(), 3U);
  EXPECT_EQ(history->switches[1].cause, SwitchCause::reload);
  EXPECT_EQ(history->switches[1].actor, "ann");
  EXPECT_EQ(history->switches[2].from, 2U);
  EXPECT_EQ(history->switches[2].to, 1U);
  EXPECT_EQ(history->switches[2].cause, SwitchCause::rollback);
}

TEST_F(ModulesTest, SurviveARestart) {
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.reload("service", code(2)));
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(ask(sandbox, "version"), 2);
  EXPECT_THAT(numbers(sandbox), ElementsAre(2, 1));
}

TEST_F(ModulesTest, AreChangedWhileTheSandboxIsStopped) {  // T04
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.stop());
  const auto report = sandbox.reload("service", code(2));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->processes.empty());
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(ask(sandbox, "version"), 2);
}

// There would be no way back: what does not start cannot be rolled back either.
TEST_F(ModulesTest, OfNobodyAreRefusedWhenTheyDoNotStart) {  // T04
  const std::string count = R"((global $count (export "state.count") (mut i32) (i32.const 0)))";
  const auto with_start = [&](int version, std::string_view body) {
    return Source::wat(service(version, count, fmt::format("(func $begin {}) (start $begin)", body)));
  };
  Sandbox sandbox = create(spec());
  ASSERT_TRUE(sandbox.load("tools", code(1)));
  ASSERT_TRUE(sandbox.stage("service", with_start(2, "unreachable")));
  ASSERT_TRUE(sandbox.update_limits({.fuel_max = 1'000'000}));
  EXPECT_EQ(code_of(sandbox.reload("tools", with_start(2, "unreachable"))), ErrorCode::start_failed);
  ASSERT_TRUE(sandbox.stop());
  EXPECT_EQ(code_of(sandbox.reload("service", with_start(3, "unreachable"))), ErrorCode::start_failed);
  EXPECT_EQ(code_of(sandbox.reload("service", with_start(3, "(loop $again (br $again))"))), ErrorCode::start_failed);
  EXPECT_EQ(code_of(sandbox.reload("service", with_start(3, "unreachable"), {.policy = ReloadPolicy{.rolling = true}})),
            ErrorCode::start_failed);
  EXPECT_EQ(code_of(sandbox.activate("service", 2)), ErrorCode::start_failed);
  EXPECT_EQ(active(sandbox), 1U);
  EXPECT_EQ(sandbox.usage().memory_bytes, 0U);
  ASSERT_TRUE(sandbox.restart());
  EXPECT_EQ(ask(sandbox, "version", "service"), 1);
}

// The schema of each version is read from an instance of it: nobody waits until that is made.
TEST_F(ModulesTest, AnswerCallsWhileTheirHistoryIsRead) {
  Sandbox sandbox = create(spec());
  Crossing reading;
  std::atomic<bool> watched{false};
  const ArtifactWatch watch{.on_instantiate = [&] {
    if (watched) reading.pass();
  }};
  const auto staged = sandbox.stage("service", WatchedArtifact::of_wat(service(2), watch));
  ASSERT_TRUE(staged) << staged.error().message;
  watched = true;
  auto history = std::async(std::launch::async, [&] { return sandbox.history("service"); });
  reading.wait_for(1);
  auto answer = std::async(std::launch::async, [&] { return ask(sandbox, "next"); });
  EXPECT_EQ(answer.wait_for(std::chrono::seconds(10)), std::future_status::ready) << "the call waits for the history";
  reading.open();
  EXPECT_EQ(answer.get(), 1);
  EXPECT_EQ(history.get()->versions.size(), 2U);
}

TEST_F(ModulesTest, AreScannedOnceForAReload) {  // P11
  SandboxSpec wanted{.id = "a", .modules = {{"service", guest(1, "")}}};
  wanted.reject_findings = Severity::high;
  Sandbox sandbox = create(wanted);
  std::atomic<int> scans{0};
  const std::string next = R"((module (func (export "version") (result i32) (i32.const 2))))";
  const auto report = sandbox.reload("service", WatchedArtifact::of_wat(next, {.on_scan = [&] { ++scans; }}));
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(scans, 1);
  ASSERT_TRUE(sandbox.run("service", "version"));
  EXPECT_EQ(scans, 1) << "what was let in is not scanned for each run";
}

TEST_F(ModulesTest, TellTheReloadPolicyTheyHave) {
  EXPECT_EQ(create(spec("usual")).info().reload.quiet_wait_max, ReloadPolicy().quiet_wait_max);
  SandboxSpec wanted = spec();
  wanted.reload = ReloadPolicy{.state = StateWay::memory, .drop = true, .trial = {.calls = 3}};
  const SandboxInfo info = create(wanted).info();
  EXPECT_EQ(info.reload.state, StateWay::memory);
  EXPECT_TRUE(info.reload.drop);
  EXPECT_EQ(info.reload.trial, Trial{.calls = 3});
  EXPECT_EQ(runtime_->fork("a", "twin")->info().reload.state, StateWay::memory);
}

}  // namespace
}  // namespace petri
