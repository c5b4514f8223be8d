// Area M of docs/behaviours.md: the timers of a module that is rolled back.
#include "engine/sha256.h"
#include "state_guests.h"
#include "watched_artifact.h"

namespace petri {
namespace {

using ModulesTest = VersionsFixture;

// Returns the tags of its timers, in the order in which they rang, as digits. `wait` and `crash` have a crossing each.
constexpr std::string_view kClock = R"((module
  (import "petri" "timer" (func $timer (param i32 i64) (result i32)))
  (import "petri" "message_tag" (func $tag (result i64)))
  (import "test" "cross" (func $cross))
  (import "test" "fall" (func $fall))
  (global $rung (export "state.rung") (mut i64) (i64.const 0))
  (func (export "version") (result i32) (i32.const {}))
  (func (export "set") (param i32 i64) (result i32) (call $timer (local.get 0) (local.get 1)))
  (func (export "rung") (result i64) (global.get $rung))
  (func (export "wait") (call $cross))
  (func (export "crash") (call $fall) unreachable)
  (func (export "petri_handle") (result i32)
    (global.set $rung (i64.add (i64.mul (global.get $rung) (i64.const 10)) (call $tag))) (i32.const 0))))";

class ClockModulesTest : public ModulesTest {
 protected:
  ClockModulesTest() {
    RuntimeOptions options = in_tier_under_test({.workers = 4, .clock = time_.clock()});
    EXPECT_TRUE(options.host.define("test", "cross", [this] { crossing_.pass(); }));
    EXPECT_TRUE(options.host.define("test", "fall", [this] { falling_.pass(); }));
    runtime_ = std::move(*Runtime::create(std::move(options)));
  }
  ~ClockModulesTest() override {
    crossing_.open();
    falling_.open();
    runtime_.reset();  // before its clock
  }

  static Source clock(int version) { return Source::wat(fmt::format(fmt::runtime(kClock), version)); }
  Sandbox create_clocks(const std::vector<std::string>& names) {
    SandboxSpec wanted = with_children(names);
    wanted.modules[0].source = clock(1);
    wanted.reload = ReloadPolicy{.trial = {.calls = 100, .time = std::chrono::hours(24)}};
    return create(wanted);
  }
  static void set(Sandbox& sandbox, const std::string& process, std::int32_t seconds, std::int64_t tag) {
    const auto asked = sandbox.call("set", {seconds * 1'000, Value(tag)}, {.process = process});
    EXPECT_EQ(testing::not_value(asked, 0), "");
  }
  // It is in `function` until the crossing is opened, and what is sent to it waits.
  static void hold(Sandbox& sandbox, const std::string& process, std::string_view function, Crossing& crossing) {
    ASSERT_TRUE(sandbox.call_async(function, {}, {.process = process}, [](const Result<Outcome>&) {}));
    crossing.wait_for(1);
  }
  void advance(int seconds) { time_.advance(*runtime_, std::chrono::seconds(seconds)); }
  void expect_waiting(const Sandbox& sandbox, std::uint64_t messages) {
    expect_soon([&] { return sandbox.usage().messages == messages ? "" : "they do not wait in the mailboxes"; });
  }
  // A timer that is set now rings after all that were due before, so there is nothing to come once it has rung.
  std::int64_t all_rung(Sandbox& sandbox, const std::string& process) {
    set(sandbox, process, 1, 9);
    advance(1);
    expect_soon([&] { return ask(sandbox, "rung", process) % 10 == 9 ? "" : "the last timer has not rung"; });
    return ask(sandbox, "rung", process) / 10;
  }

  testing::ManualTime time_;
  Crossing crossing_, falling_;
};

// Issue 16: it is among the timers of the switch and in the mailbox, and was due in both.
TEST_F(ClockModulesTest, RingATimerOnceThatWaitsInTheMailboxWhenTheyGoBack) {
  Sandbox sandbox = create_clocks({"x", "y"});
  for (const char* process : {"x", "y"}) set(sandbox, process, 10, 1);
  ASSERT_TRUE(sandbox.reload("service", clock(2)));
  hold(sandbox, "y", "wait", crossing_);
  hold(sandbox, "x", "crash", falling_);
  advance(10);
  expect_waiting(sandbox, 2);
  falling_.open();
  expect_soon([&] { return sandbox.status() == SandboxStatus::reloading ? "" : "not yet on the way back"; });
  crossing_.open();
  expect_soon([&] { return active(sandbox) == 1 ? "" : "not yet back"; });
  EXPECT_EQ(all_rung(sandbox, "x"), 1);
  EXPECT_EQ(all_rung(sandbox, "y"), 1);
  EXPECT_EQ(sandbox.info().supervisor_restarts, 0U);
}

// One of the same tag that the new code had set waits in the mailbox: it is not the one of the switch, which is not
// due.
TEST_F(ClockModulesTest, KeepATimerThatIsNotDueThoughOneOfItsTagHasRung) {
  Sandbox sandbox = create_clocks({"x", "y"});
  set(sandbox, "y", 1'000, 1);
  ASSERT_TRUE(sandbox.reload("service", clock(2)));
  set(sandbox, "y", 10, 1);
  hold(sandbox, "y", "wait", crossing_);
  hold(sandbox, "x", "crash", falling_);
  advance(10);
  expect_waiting(sandbox, 1);
  falling_.open();
  expect_soon([&] { return sandbox.status() == SandboxStatus::reloading ? "" : "not yet on the way back"; });
  crossing_.open();
  expect_soon([&] { return active(sandbox) == 1 ? "" : "not yet back"; });
  EXPECT_EQ(sandbox.snapshot()->info().timers, 1U);
  advance(990);
  expect_soon([&] { return sandbox.snapshot()->info().timers == 0 ? "" : "it has not rung"; });
}

// The new code may have handled it, and its state is given up.
TEST_F(ClockModulesTest, RingATimerAgainThatWaitedInTheMailboxAtTheSwitch) {
  Sandbox sandbox = create_clocks({"x"});
  set(sandbox, "x", 10, 1);
  hold(sandbox, "x", "wait", crossing_);
  advance(10);
  expect_waiting(sandbox, 1);
  auto reloading = std::async(std::launch::async, [&] { return sandbox.reload("service", clock(2)); });
  expect_soon([&] { return sandbox.status() == SandboxStatus::reloading ? "" : "not yet reloading"; });
  crossing_.open();
  ASSERT_TRUE(reloading.get());
  EXPECT_EQ(ask(sandbox, "version"), 2);  // behind the timer
  falling_.open();
  EXPECT_EQ(call_kind(sandbox, "crash", "x"), OutcomeKind::trapped);
  expect_soon([&] { return active(sandbox) == 1 ? "" : "not yet back"; });
  EXPECT_EQ(all_rung(sandbox, "x"), 1);
}

}  // namespace
}  // namespace petri
