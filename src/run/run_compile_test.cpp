// Compiling for a run: bounded, in a process that is killed.
#include <gmock/gmock.h>

#include <thread>

#include "compiling/compile_fault.h"
#include "compiling/compile_workers.h"
#include "run/run_fixture.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kGuest = R"((module
  (func (export "one") (result i32) (i32.const 1))
  (func (export "crash") unreachable)))";

class RunCompile : public RunFixture {
 protected:
  ~RunCompile() override { inject_compile_fault(CompileFault::none, 0); }

  static RunSpec compiled(std::string function) {
    return {.function = std::move(function), .tier = Tier::compiled, .compile = {.time_max = seconds(60)}};
  }
};

TEST_F(RunCompile, GivesTheSameFromAWorkerAndFromThisProcess) {
  EXPECT_THAT(run_ok(kGuest, compiled("one")).values, ElementsAre(Value(1)));
  RunSpec here = compiled("one");
  here.compile = {.worker = "/nowhere/worker", .in_process = true};
  EXPECT_THAT(run_ok(kGuest, here).values, ElementsAre(Value(1)));
}

TEST_F(RunCompile, CompilingHasADeadline) {
  inject_compile_fault(CompileFault::never_ends);
  RunSpec spec = compiled("one");
  spec.compile.time_max = milliseconds(100);
  const Error error = run_error(kGuest, spec);
  EXPECT_EQ(error.code, ErrorCode::timeout);
  EXPECT_THAT(error.message, HasSubstr("100 ms"));
}

TEST_F(RunCompile, CompilingHasAMemoryLimit) {
  inject_compile_fault(CompileFault::eats_memory);
  RunSpec spec = compiled("one");
  spec.compile.memory_bytes_max = 64 << 20;
  EXPECT_EQ(run_error(kGuest, spec).code, ErrorCode::limit_exceeded);
}

TEST_F(RunCompile, AWorkerThatIsKilledIsAnErrorAndNotAnInterpretedRun) {
  inject_compile_fault(CompileFault::kills_itself);
  EXPECT_EQ(run_error(kGuest, compiled("one")).code, ErrorCode::host_fault);
}

// As a panic of the compiler: both engines give the same answer.
TEST_F(RunCompile, ACompilerThatCrashesLeavesTheRunToTheInterpreter) {
  inject_compile_fault(CompileFault::crashes);
  const Outcome outcome = run_ok(kGuest, compiled("one"));
  EXPECT_EQ(outcome.tier, Tier::interpreted);
  EXPECT_THAT(outcome.values, ElementsAre(Value(1)));
}

TEST_F(RunCompile, NoWorkerIsAnErrorThatNamesIt) {
  RunSpec spec = compiled("one");
  spec.compile.worker = "/nowhere/worker";
  const Error error = run_error(kGuest, spec);
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_THAT(error.message, HasSubstr("/nowhere/worker"));
}

TEST_F(RunCompile, AStopEndsTheCompilation) {
  inject_compile_fault(CompileFault::never_ends);
  std::stop_source stop;
  const std::jthread stopper([&stop] {
    while (compile_faults_left() > 0) std::this_thread::yield();
    stop.request_stop();
  });
  const auto outcome = try_run(kGuest, compiled("one"), stop.get_token());
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().code, ErrorCode::cancelled);
}

// An interpreted run that trapped was compiled, without a bound, to say where.
TEST_F(RunCompile, ATrapIsExplainedOnlyIfThatTakesNoLongerThanSeconds) {
  inject_compile_fault(CompileFault::never_ends);
  RunSpec spec{.function = "crash", .tier = Tier::interpreted, .compile = {.time_max = seconds(100)}};
  const auto start = std::chrono::steady_clock::now();
  const Outcome outcome = run_ok(kGuest, spec);
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(20));
  EXPECT_EQ(outcome.kind, OutcomeKind::trapped);
  EXPECT_THAT(outcome.backtrace, IsEmpty());
}

TEST_F(RunCompile, ATrapWithoutAWorkerIsATrapWithoutABacktrace) {
  RunSpec spec{.function = "crash", .tier = Tier::interpreted, .compile = {.worker = "/nowhere/worker"}};
  const Outcome outcome = run_ok(kGuest, spec);
  EXPECT_EQ(outcome.kind, OutcomeKind::trapped);
  EXPECT_THAT(outcome.backtrace, IsEmpty());
}

}  // namespace
}  // namespace petri
