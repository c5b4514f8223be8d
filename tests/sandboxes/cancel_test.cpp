// Ends are bounded by the host, also of a single call, and of many sandboxes at once.
#include <atomic>
#include <chrono>
#include <future>

#include "ends_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

// ---- many at once ---------------------------------------------------------------------------------------------

TEST_P(EndsTest, EndsARuntimeFullOfGuestsThatDoNotWantTo) {
  std::vector<Sandbox> sandboxes;
  for (int i = 0; i < 20; ++i) {
    sandboxes.push_back(create(spec(kUndying)));
    ASSERT_EQ(testing::not_value(sandboxes.back().call("go", {Value(3)}), Value(0)), "");
  }
  for (Sandbox& sandbox : sandboxes) {
    for (const std::string process : {"m", "k01"}) {
      ASSERT_TRUE(sandbox.call_async("spin", {}, {.process = process}, [](const Result<Outcome>&) {}));
    }
  }
  EXPECT_EQ(not_soon([&] { runtime_.reset(); }, 20s), "");
}

TEST_P(EndsTest, EndsAHundredAtOnce) {
  std::vector<Sandbox> sandboxes;
  for (int i = 0; i < 100; ++i) {
    sandboxes.push_back(create(spec(kUndying)));
    ASSERT_TRUE(sandboxes.back().call_async("spin", {}, {}, [](const Result<Outcome>&) {}));
  }
  EXPECT_EQ(
      not_soon(
          [&] {
            std::vector<std::future<void>> ends;
            for (const Sandbox& sandbox : sandboxes) {
              ends.push_back(std::async(std::launch::async, [&] { EXPECT_TRUE(runtime_->destroy(sandbox.id())); }));
            }
          },
          20s),
      "");
  for (const Sandbox& sandbox : sandboxes) expect_nothing_runs(sandbox);
}

// ---- cancel ---------------------------------------------------------------------------------------------------

class CancelTest : public EndsTest {
 protected:
  // Calls and cancels; what became of the call.
  Result<Outcome> cancelled(Sandbox& sandbox, const std::string& function, const std::string& process) {
    std::uint64_t number = 0;
    auto result = spin(sandbox, function, process, &number);
    EXPECT_TRUE(sandbox.cancel(number));
    if (result.wait_for(kEndsSoon) != std::future_status::ready) return fail(ErrorCode::timeout, "it goes on");
    return result.get();
  }
};

INSTANTIATE_TEST_SUITE_P(BothTiers, CancelTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

// A caller of a caller of one that never answers, with and without a time-out of its own.
constexpr std::string_view kCallsForEver = R"((module
  (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "second") (data (i32.const 10) "deaf") (data (i32.const 20) "first")
  (func (export "spin") (loop $x (br $x)))
  (func (export "through") (drop (call $call (i32.const 0) (i32.const 6) (i32.const 0) (i32.const 0) (i32.const 0))))
  (func (export "patient") (loop $l
    (drop (call $call (i32.const 0) (i32.const 6) (i32.const 0) (i32.const 0) (i32.const 100000000))) (br $l)))
  (func (export "petri_handle") (result i32)
    (drop (call $call (i32.const 10) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const 0))) (i32.const 0))))";
constexpr std::string_view kDeaf =
    R"((module (func (export "petri_handle") (result i32) (loop $x (br $x)) (i32.const 0))))";

TEST_P(CancelTest, EndsACallThatWaitsForOthers) {
  for (const std::string function : {"spin", "through", "patient"}) {
    SandboxSpec wanted = spec(kCallsForEver);
    wanted.modules.push_back({"deaf", Source::wat(std::string(kDeaf))});
    wanted.tree =
        SupervisorSpec{.intensity = 100,
                       .children = {ChildSpec{.id = "deaf", .module = "deaf"}, ChildSpec{.id = "second", .module = "m"},
                                    ChildSpec{.id = "first", .module = "m"}}};
    Sandbox sandbox = create(wanted);
    EXPECT_EQ(testing::not_kind(cancelled(sandbox, function, "first"), OutcomeKind::cancelled), "") << function;
    EXPECT_EQ(destroy_not_soon(sandbox), "");
  }
}

constexpr std::string_view kDeafAtWork = R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (memory 1)
  (func (export "petri_handle") (result i32)
    (drop (call $log (i32.const 2) (i32.const 0) (i32.const 1))) (loop $x (br $x)) (i32.const 0))))";

// The callee once continued until its own limit.
TEST_P(CancelTest, EndsWhatAnotherGuestDoesForTheCall) {
  for (const std::string timeout : {"0", "100000000"}) {
    std::atomic<bool> at_work{false};
    SandboxSpec wanted = spec(R"((module (import "petri" "call" (func $call (param i32 i32 i32 i32 i32) (result i32)))
      (memory 1) (data (i32.const 0) "deaf")
      (func (export "ask")
        (drop (call $call (i32.const 0) (i32.const 4) (i32.const 0) (i32.const 0) (i32.const )" +
                              timeout + R"())))))");
    wanted.modules.push_back({"deaf", Source::wat(std::string(kDeafAtWork))});
    wanted.on_log = [&](std::string_view, LogLevel, std::string_view) { at_work = true; };
    wanted.tree = SupervisorSpec{
        .intensity = 100, .children = {ChildSpec{.id = "deaf", .module = "deaf"}, ChildSpec{.id = "m", .module = "m"}}};
    Sandbox sandbox = create(wanted);
    const auto number = sandbox.call_async("ask", {}, {.process = "m"}, [](const Result<Outcome>&) {});
    ASSERT_TRUE(number);
    expect_soon([&] { return at_work ? "" : "the callee has not begun"; });
    EXPECT_TRUE(sandbox.cancel(*number));
    expect_restarts(sandbox, 2);
    EXPECT_EQ(destroy_not_soon(sandbox), "");
  }
}

TEST_P(CancelTest, EndsACallThatSleepsInTheHost) {
  Sandbox sandbox = create(spec(kEndlessSleeper));
  EXPECT_EQ(testing::not_kind(cancelled(sandbox, "spin", "m"), OutcomeKind::cancelled), "");
}

TEST_P(CancelTest, EndsACallThatHasNotStarted) {
  Sandbox sandbox = create(spec(kUndying));
  ASSERT_TRUE(sandbox.call_async("spin", {}, {}, [](const Result<Outcome>&) {}));
  auto queued = std::make_shared<std::promise<Result<Outcome>>>();
  auto future = queued->get_future();
  const auto number =
      sandbox.call_async("next", {}, {}, [queued](const Result<Outcome>& how) { queued->set_value(how); });
  ASSERT_TRUE(number);
  ASSERT_TRUE(sandbox.cancel(*number));
  ASSERT_EQ(future.wait_for(kEndsSoon), std::future_status::ready);
  EXPECT_EQ(testing::not_error(future.get(), ErrorCode::cancelled), "");
}

// Calls that were put aside behind a hundred others are not waited for.
TEST_P(CancelTest, EndsACallBesideAHundredThatBurn) {
  std::vector<Sandbox> burning;
  for (int i = 0; i < 100; ++i) burning.push_back(create(spec(kUndying)));
  Sandbox sandbox = create(spec(kUndying));
  for (Sandbox& burner : burning) ASSERT_TRUE(burner.call_async("spin", {}, {}, [](const Result<Outcome>&) {}));
  EXPECT_EQ(testing::not_kind(cancelled(sandbox, "spin", "m"), OutcomeKind::cancelled), "");
  EXPECT_EQ(not_soon([&] { EXPECT_TRUE(sandbox.restart()); }), "");
}

// R09: of a run, and of a live process that is started again each time.
TEST(ExitTest, HasTheSameKindAndCodeEachTime) {
  constexpr int kTimes = 10'000;
  const auto runtime = *Runtime::create(without_containment());
  for (const Tier tier : {Tier::interpreted, Tier::compiled}) {
    SandboxSpec spec{.id = std::string(name_of(tier)),
                     .modules = {{"m", Source::wat(R"((module
      (import "petri" "exit" (func $exit (param i32)))
      (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
      (func (export "exit") (param i32) (call $exit (local.get 0)) unreachable)
      (func (export "proc_exit") (param i32) (call $proc_exit (local.get 0)) unreachable)))")}},
                     .tier = tier};
    spec.tree = SupervisorSpec{.intensity = 3 * kTimes, .children = {ChildSpec{.id = "m", .module = "m"}}};
    Sandbox sandbox = *runtime->create_sandbox(spec);
    for (const std::string_view function : {"exit", "proc_exit"}) {
      int same = 0;
      for (int i = 0; i < kTimes; ++i) {
        // A run compiles its module anew; a process that is restarted does not.
        const auto outcome = tier == Tier::interpreted ? sandbox.run("m", function, {3}) : sandbox.call(function, {3});
        same += outcome && outcome->kind == OutcomeKind::exited && outcome->exit_code == 3 ? 1 : 0;
      }
      EXPECT_EQ(same, kTimes) << function << " " << name_of(tier);
    }
  }
}

}  // namespace
}  // namespace petri
