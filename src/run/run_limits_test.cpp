// Every limit of a run, met in each place where a guest can meet it. Ids are those of
// docs/hostile-cases.md and docs/behaviours.md.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "run/run_limits_fixture.h"

namespace petri {
namespace {

// ---- fuel ----

// A01, Q10
TEST_P(RunLimits, EndALoopThatCountsInALocal) {
  const std::string_view text =
      R"((module (func (export "f") (local i32) (loop (local.set 0 (i32.add (local.get 0) (i32.const 1))) (br 0)))))";
  const Outcome outcome = run_ok(text, spec("f"));
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(outcome.fuel_used, 10'000'000U);
  EXPECT_EQ(outcome.cause, "fuel_max");
  RunSpec endless = spec("f");
  endless.limits.fuel_max = std::uint64_t{1} << 62;
  endless.limits.execution_time_max = std::chrono::milliseconds(10);
  const Outcome late = run_ok(text, endless);  // R06
  EXPECT_EQ(late.kind, OutcomeKind::deadline);
  EXPECT_EQ(late.cause, "execution_time_max");
  EXPECT_FALSE(late.repeatable);
}

// A02: three units a round, in both tiers.
TEST_P(RunLimits, EndALoopOfCallsAfterTheSameRounds) {
  const std::string_view text =
      R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 1) (func $empty)
    (func (export "f") (loop (call $empty) (drop (call $write (i32.const 0) (i32.const 1))) (br 0)))))";
  RunSpec run_spec = spec("f");
  run_spec.limits.fuel_max = 10'001;
  const Outcome outcome = run_ok(text, run_spec);
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(outcome.fuel_used, 10'001U);
  // A round: call, two constants, call, drop, br, and 8 for output_write; the loop itself once.
  EXPECT_EQ(outcome.output.size(), (10'001U - 1U) / 14U);
}

// A06
TEST_P(RunLimits, EndNaiveFibonacciEachTimeAlike) {
  const std::string_view text = R"((module (func $fib (export "fib") (param i32) (result i32)
    (if (result i32) (i32.lt_s (local.get 0) (i32.const 2)) (then (local.get 0))
      (else (i32.add (call $fib (i32.sub (local.get 0) (i32.const 1))) (call $fib (i32.sub (local.get 0) (i32.const 2)))))))))";
  const ArtifactPtr artifact = prepare(text);
  RunSpec run_spec = spec("fib", {60});
  run_spec.limits.fuel_max = 100'000;
  for (int i = 0; i < 100; ++i) {
    const auto outcome = run(artifact, host_, run_spec);
    ASSERT_TRUE(outcome);
    ASSERT_EQ(outcome->kind, OutcomeKind::out_of_fuel);
    ASSERT_EQ(outcome->fuel_used, 100'000U);
  }
}

// A08
TEST_P(RunLimits, EndALoopOfHostCalls) {
  const std::string_view text =
      R"((module (import "math" "sin" (func $sin (param f64) (result f64))) (import "petri" "input_size" (func $size (result i32)))
    (func (export "f") (loop (drop (call $sin (f64.convert_i32_s (call $size)))) (br 0)))))";
  const Outcome outcome = run_ok(text, spec("f"));
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(outcome.fuel_used, 10'000'000U);
}

// A14
TEST_P(RunLimits, EndExactlyWhereTheFuelEnds) {
  const std::string_view text =
      R"((module (import "petri" "input_size" (func $size (result i32))) (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
    (memory 1) (func $callee (result i32) (i32.const 1))
    (func (export "f") (result i32) (local i32)
      (drop (call $callee)) (loop (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const 3))))
      (drop (call $size)) (drop (call $read (i32.const 0) (i32.const 0) (i32.const 128))) (i32.const 9))))";
  RunSpec run_spec = spec("f");
  run_spec.input = std::string(128, 'x');
  const ArtifactPtr artifact = prepare(text);
  const std::uint64_t needed = run(artifact, host_, run_spec)->fuel_used;
  EXPECT_EQ(needed, 3U + 1U + 3U * 7U + 2U + 4U + 5U + 8U + 2U + 1U);
  for (std::uint64_t fuel = 1; fuel <= needed + 1; ++fuel) {
    run_spec.limits.fuel_max = fuel;
    const auto outcome = run(artifact, host_, run_spec);
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->kind, fuel < needed ? OutcomeKind::out_of_fuel : OutcomeKind::ok) << fuel;
    EXPECT_EQ(outcome->fuel_used, std::min(fuel, needed)) << fuel;
  }
}

// A10
// Nothing looked at the clock before the first call.
TEST_P(RunLimits, EndAGuestWhoseInstanceTakesLongerToMakeThanItHas) {
  RunSpec late = spec("f");
  late.limits.execution_time_max = std::chrono::milliseconds(1);
  late.limits.memory_bytes_max = 128 << 20;
  std::string text = R"((module (memory 1024) (func (export "f")))";
  for (int page = 0; page < 16'000; ++page) {
    text += fmt::format(R"((data (i32.const {}) "abcdefghijklmnopqrstuvwxyz"))", page * 4'096);
  }
  const Outcome outcome = run_ok(text + ")", late);
  EXPECT_EQ(outcome.kind, OutcomeKind::deadline);
  EXPECT_EQ(outcome.place, Place::instantiate);
  EXPECT_EQ(outcome.fuel_used, 0U);
}

TEST_P(RunLimits, EndAStartFunctionThatNeverReturns) {
  const std::string_view text = R"((module (func $s (loop br 0)) (start $s) (func (export "f"))))";
  Outcome outcome = run_ok(text, spec("f"));
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(outcome.place, Place::start);
  RunSpec endless = spec("f");
  endless.limits.fuel_max = std::uint64_t{1} << 62;
  endless.limits.execution_time_max = std::chrono::milliseconds(10);
  outcome = run_ok(text, endless);
  EXPECT_EQ(outcome.kind, OutcomeKind::deadline);
  EXPECT_EQ(outcome.place, Place::start);
}

TEST_P(RunLimits, EndAnInitializerThatNeverReturns) {
  const Outcome outcome =
      run_ok(R"((module (func (export "_initialize") (loop br 0)) (func (export "f"))))", spec("f"));
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(outcome.place, Place::initialize);
}

TEST_P(RunLimits, EndAGuestInsideNestedCallsAndHostCalls) {
  const std::string_view text =
      R"((module (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32))) (memory 100)
    (func $inner (loop (drop (call $random (i32.const 0) (i32.const 6553600))) (br 0)))
    (func $middle (call $inner)) (func (export "f") (call $middle))))";
  RunSpec run_spec = spec("f");
  const Outcome outcome = run_ok(text, run_spec);
  EXPECT_EQ(outcome.kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(outcome.fuel_used, 10'000'000U);
  run_spec.limits.fuel_max = std::uint64_t{1} << 62;
  run_spec.limits.execution_time_max = std::chrono::milliseconds(10);
  EXPECT_EQ(run_ok(text, run_spec).kind, OutcomeKind::deadline);
}

// A12
TEST_P(RunLimits, ChargeDenormalNumbersLikeOthers) {
  const auto text = [](std::string_view number) {
    return fmt::format(R"((module (func (export "f") (local f64) (local.set 0 (f64.const {0}))
      (loop (local.set 0 (f64.add (f64.mul (local.get 0) (f64.const 0.5)) (f64.const {0}))) (br 0)))))",
                       number);
  };
  const Outcome denormal = run_ok(text("0x1p-1060"), spec("f"));
  const Outcome normal = run_ok(text("1.5"), spec("f"));
  EXPECT_EQ(denormal.kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(denormal.fuel_used, normal.fuel_used);
}

// ---- depth ----

// A03, Q19
TEST_P(RunLimits, EndRecursionAtTheSameFrame) {
  const std::string_view text =
      R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 1)
    (func $deeper (export "f") (param i32) (drop (call $write (i32.const 0) (i32.const 1)))
      (if (i32.gt_u (local.get 0) (i32.const 1)) (then (call $deeper (i32.sub (local.get 0) (i32.const 1))))))))";
  Outcome outcome = run_ok(text, spec("f", {1'000'000}));
  EXPECT_EQ(outcome.kind, OutcomeKind::stack_overflow);
  EXPECT_EQ(outcome.cause, "call_depth_max");
  EXPECT_EQ(outcome.output.size(), 1'024U);
  EXPECT_EQ(outcome.fuel_used, 1'024U * (4U + 8U + 4U + 4U));
  EXPECT_EQ(run_ok(text, spec("f", {1'024})).kind, OutcomeKind::ok);
  EXPECT_EQ(run_ok(text, spec("f", {1'025})).kind, OutcomeKind::stack_overflow);
  RunSpec shallow = spec("f", {17});
  shallow.limits.call_depth_max = 16;
  outcome = run_ok(text, shallow);
  EXPECT_EQ(outcome.kind, OutcomeKind::stack_overflow);
  EXPECT_EQ(outcome.output.size(), 16U);
}

// A04: host functions do not run on what is left of the guest's stack.
TEST_P(RunLimits, LetAHostCallThroughAtFullDepth) {
  const std::string_view text =
      R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32))) (memory 1)
    (func $deeper (export "f") (param i32)
      (if (i32.gt_u (local.get 0) (i32.const 1)) (then (call $deeper (i32.sub (local.get 0) (i32.const 1))))
        (else (drop (call $log (i32.const 0) (i32.const 0) (i32.const 5))))))))";
  int lines = 0;
  RunSpec run_spec = spec("f", {8'192});
  run_spec.limits.call_depth_max = 8'192;
  run_spec.on_log = [&lines](LogLevel, std::string_view) { ++lines; };
  EXPECT_EQ(run_ok(text, run_spec).kind, OutcomeKind::ok);
  EXPECT_EQ(lines, 1);
}

// A05
TEST_P(RunLimits, EndRecursionWithManyLocalsAtTheSameCall) {
  for (const int locals : {63, 64, 500, 2'048}) {
    std::string types;
    for (int i = 0; i < locals; ++i) types += " i64";
    const std::string text =
        fmt::format(R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 1)
      (func $deeper (export "f") (local{}) (drop (call $write (i32.const 0) (i32.const 1))) (call $deeper))))",
                    types);
    RunSpec run_spec = spec("f");
    run_spec.limits.call_depth_max = 8'192;
    const Outcome outcome = run_ok(text, run_spec);
    EXPECT_EQ(outcome.kind, OutcomeKind::stack_overflow) << locals;
    EXPECT_EQ(outcome.output.size(), 8'192U / (1U + static_cast<unsigned>(locals) / 64U)) << locals;
  }
}

PETRI_RUN_IN_BOTH_TIERS(RunLimits);

}  // namespace
}  // namespace petri
