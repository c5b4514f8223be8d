#include "petri/run.h"

#include <gmock/gmock.h>

#include <limits>
#include <thread>

#include "engine/fault_injection.h"
#include "run/run_fixture.h"

namespace petri {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::string_view kAdder = R"((module (memory (export "memory") 1)
  (global $calls (mut i32) (i32.const 0))
  (func (export "add") (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "count") (result i32) (global.set $calls (i32.add (global.get $calls) (i32.const 1))) (global.get $calls))))";

class Run : public RunFixture {};

// R01
TEST_P(Run, GivesTheValuesOfTheFunction) {
  const Outcome outcome = run_ok(kAdder, spec("add", {2, 3}));
  EXPECT_EQ(outcome.kind, OutcomeKind::ok);
  EXPECT_THAT(outcome.values, ElementsAre(Value(5)));
  EXPECT_TRUE(outcome.returned);
}

TEST_P(Run, GivesNumbersOfAllTypesBitForBit) {
  const std::string_view text = R"((module (func (export "swap") (param i32 i64 f32 f64) (result f64 f32 i64 i32)
    local.get 3 local.get 2 local.get 1 local.get 0)))";
  const Value nan = Value::from_bits(ValueType::f64, 0x7ff4'0000'0000'0001);
  const Outcome outcome = run_ok(text, spec("swap", {-1, std::numeric_limits<std::int64_t>::min(), -0.0F, nan}));
  EXPECT_THAT(outcome.values,
              ElementsAre(nan, Value(-0.0F), Value(std::numeric_limits<std::int64_t>::min()), Value(-1)));
}

// R02
TEST_P(Run, HasAFreshInstanceEachTime) {
  EXPECT_THAT(run_ok(kAdder, spec("count")).values, ElementsAre(Value(1)));
  EXPECT_THAT(run_ok(kAdder, spec("count")).values, ElementsAre(Value(1)));
}

// R05
TEST_P(Run, TakesInputAndGivesOutput) {
  const std::string_view echo = R"((module
    (import "petri" "input_size" (func $size (result i32))) (import "petri" "input_read" (func $read (param i32 i32 i32) (result i32)))
    (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 1)
    (func (export "echo") (drop (call $read (i32.const 0) (i32.const 0) (call $size))) (drop (call $write (i32.const 0) (call $size)))
      (drop (call $write (i32.const 0) (i32.const 1))))))";
  RunSpec run_spec = spec("echo");
  run_spec.input = std::string("a\0b\xff", 4);
  EXPECT_EQ(run_ok(echo, run_spec).output, std::string("a\0b\xff"
                                                       "a",
                                                       5));
}

// R14
TEST_P(Run, ReportsWhatItUsed) {
  RunSpec run_spec = spec("add", {2, 3});
  run_spec.seed = 9;
  const Outcome outcome = run_ok(kAdder, run_spec);
  EXPECT_EQ(outcome.fuel_used, 3U);
  EXPECT_EQ(outcome.memory_peak_bytes, 65'536U);
  EXPECT_GT(outcome.wall_time.count(), 0);
  EXPECT_EQ(outcome.queue_time.count(), 0);
  EXPECT_EQ(outcome.artifact, prepare(kAdder)->id());
  EXPECT_EQ(outcome.tier, GetParam());
  EXPECT_EQ(outcome.seed, 9U);
  EXPECT_TRUE(outcome.repeatable);
  EXPECT_EQ(outcome.place, Place::call);
}

TEST_P(Run, RunsStartAndInitializeFirstOnTheSameBudget) {
  const std::string_view text = R"((module (global $n (mut i32) (i32.const 0)) (start $s)
    (func $s (global.set $n (i32.const 5)))
    (func (export "_initialize") (global.set $n (i32.mul (global.get $n) (i32.const 7))))
    (func (export "n") (result i32) (global.get $n))
    (func (export "_start") (global.set $n (i32.const 1)))))";
  const Outcome outcome = run_ok(text, spec("n"));
  EXPECT_THAT(outcome.values, ElementsAre(Value(35)));
  EXPECT_EQ(outcome.fuel_used, 2U + 4U + 1U);
  EXPECT_EQ(run_ok(text, spec("_start")).fuel_used, 2U + 2U);
  EXPECT_EQ(run_ok(text, spec("_initialize")).fuel_used, 2U + 4U);

  RunSpec exact = spec("n");
  exact.limits.fuel_max = 7;
  EXPECT_EQ(run_ok(text, exact).kind, OutcomeKind::ok);
  exact.limits.fuel_max = 6;
  EXPECT_EQ(run_ok(text, exact).kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(run_ok(text, exact).place, Place::call);
  exact.limits.fuel_max = 5;
  EXPECT_EQ(run_ok(text, exact).place, Place::initialize);
  exact.limits.fuel_max = 1;
  EXPECT_EQ(run_ok(text, exact).place, Place::start);
  EXPECT_EQ(run_ok(text, exact).fuel_used, 1U);
}

TEST_P(Run, CallsAnImportThatIsExportedAgain) {
  const std::string_view text =
      R"((module (import "petri" "input_size" (func $size (result i32))) (export "size" (func $size))))";
  RunSpec run_spec = spec("size");
  run_spec.input = "abc";
  EXPECT_THAT(run_ok(text, run_spec).values, ElementsAre(Value(3)));
}

// ---- what is wrong is said before anything runs ----

// R03
TEST_P(Run, NamesAFunctionThatIsNotThere) {
  const Error error = run_error(kAdder, spec("sub\x1b"));
  EXPECT_EQ(error.code, ErrorCode::not_found);
  EXPECT_THAT(error.message, AllOf(HasSubstr("sub\\x1b"), HasSubstr("\"add\""), HasSubstr("\"count\"")));
  EXPECT_EQ(run_error(kAdder, spec("memory")).code, ErrorCode::not_found);
  EXPECT_THAT(run_error("(module)", spec("f")).message, HasSubstr("exports no function"));
  EXPECT_THAT(
      run_error(
          R"((module (func (export "1") (export "2") (export "3") (export "4") (export "5") (export "6") (export "7"))))",
          spec("f"))
          .message,
      HasSubstr("\"5\" and 2 more"));
}

TEST_P(Run, TakesAnIntegerForAnyNumberThatItIsExactly) {
  const std::string_view sum = R"((module (func (export "f") (param f64 f32 i64 i32) (result f64)
      (f64.add (f64.add (local.get 0) (f64.promote_f32 (local.get 1)))
               (f64.add (f64.convert_i64_s (local.get 2)) (f64.convert_i32_s (local.get 3)))))))";
  EXPECT_EQ(run_ok(sum, spec("f", {1, 2U, std::int16_t{-3}, 4LL})).values, std::vector<Value>{4.0});
}

// R04
TEST_P(Run, RefusesArgumentsThatDoNotFit) {
  EXPECT_THAT(run_error(kAdder, spec("add", {1})).message,
              AllOf(HasSubstr("(i32 i32) -> i32"), HasSubstr("1 arguments"), HasSubstr("2 expected")));
  EXPECT_EQ(run_error(kAdder, spec("add", {1, 2, 3})).code, ErrorCode::validation_failed);
  EXPECT_THAT(run_error(kAdder, spec("add", {1, 2.0})).message,
              AllOf(HasSubstr("argument 2"), HasSubstr("f64"), HasSubstr("i32")));
  EXPECT_THAT(run_error(kAdder, spec("add", {1, 1LL << 31})).message,
              HasSubstr("argument 2 is 2147483648, which no i32 is exactly"));
  const std::string_view halve =
      R"((module (func (export "f") (param f64) (result f64) (f64.div (local.get 0) (f64.const 2)))))";
  EXPECT_THAT(run_error(halve, spec("f", {(1LL << 53) + 1})).message,
              HasSubstr("argument 1 is 9007199254740993, which no f64 is exactly"));
  const std::string_view reference = R"((module (func (export "f") (result funcref) (ref.null func))))";
  EXPECT_EQ(run_error(reference, spec("f")).code, ErrorCode::validation_failed);
}

// Issue 16: as processes of a sandbox find them, and candidates, and what `petri run` runs.
TEST_P(Run, GivesAProgramItsNameAndItsArguments) {
  constexpr std::string_view kShowsArguments = R"((module
    (import "wasi_snapshot_preview1" "args_sizes_get" (func $sizes (param i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "args_get" (func $args (param i32 i32) (result i32)))
    (import "petri" "output_write" (func $write (param i32 i32) (result i32)))
    (memory 1)
    (func (export "_start")
      (drop (call $sizes (i32.const 0) (i32.const 4)))
      (drop (call $args (i32.const 16) (i32.const 256)))
      (drop (call $write (i32.const 256) (i32.load (i32.const 4)))))))";
  RunSpec run_spec = spec("_start");
  EXPECT_EQ(run_ok(kShowsArguments, run_spec).output, std::string_view("guest\0", 6));
  run_spec.program_arguments = {"one", "", "two words"};
  EXPECT_EQ(run_ok(kShowsArguments, run_spec).output, std::string_view("guest\0one\0\0two words\0", 21));
}

// A15, L11
TEST_P(Run, ListsEverythingThatIsWrongWithItsSpec) {
  RunSpec run_spec = spec("");
  run_spec.limits.memory_bytes_max = 1;
  run_spec.limits.fuel_max = 0;
  run_spec.program_arguments = {std::string("a\0b", 3)};
  run_spec.environment = {{"A=B", "x"}};
  const Error error = run_error(kAdder, run_spec);
  EXPECT_EQ(error.code, ErrorCode::validation_failed);
  EXPECT_THAT(error.message, AllOf(HasSubstr("memory_bytes_max"), HasSubstr("fuel_max"), HasSubstr("program argument"),
                                   HasSubstr("A=B")));
}

TEST_P(Run, NamesAFolderThatIsNotThere) {
  RunSpec run_spec = spec("add", {1, 2});
  run_spec.folder = "/nowhere/at/all";
  const Error error = run_error(kAdder, run_spec);
  EXPECT_EQ(error.code, ErrorCode::validation_failed);
  EXPECT_THAT(error.message, HasSubstr("/nowhere/at/all"));
}

TEST_P(Run, RefusesAModuleThatIsTooLargeForItsLimits) {
  RunSpec run_spec = spec("f");
  run_spec.limits.module_bytes_max = 1'024;
  const std::string large =
      "(module (memory 1) (func (export \"f\")) (data (i32.const 0) \"" + std::string(1'000, 'x') + "\"))";
  EXPECT_EQ(run_error(large, run_spec).code, ErrorCode::module_too_large);
}

TEST_P(Run, NeedsAnArtifact) { EXPECT_EQ(run(nullptr, host_, spec("f")).error().code, ErrorCode::validation_failed); }

// E01, E04: see link_test for all of them.
TEST_P(Run, RefusesImportsBeforeAnyCodeRuns) {
  const std::string_view text =
      R"((module (import "petri" "log" (func (param i32 i32 i32) (result i32))) (func (export "f")) (start 1)))";
  RunSpec run_spec = spec("f");
  run_spec.permissions = {};
  EXPECT_EQ(run_error(text, run_spec).code, ErrorCode::link_error);
  EXPECT_EQ(run_error(text, run_spec).detail("permission"), "log");
}

// ---- exit, cancel, faults ----

// R09, F14
TEST_P(Run, EndsAsExitedWithTheGuestsCode) {
  const std::string_view text =
      R"((module (import "petri" "exit" (func $exit (param i32))) (import "wasi_snapshot_preview1" "proc_exit" (func $proc_exit (param i32)))
    (func (export "leave") (param i32) (result i32) (call $exit (local.get 0)) unreachable)
    (func (export "_start") (call $proc_exit (i32.const 3)))))";
  for (const std::int32_t code : {0, -1, 2'147'483'647}) {
    const Outcome outcome = run_ok(text, spec("leave", {code}));
    EXPECT_EQ(outcome.kind, OutcomeKind::exited);
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_THAT(outcome.values, IsEmpty());
    EXPECT_FALSE(outcome.returned);
  }
  EXPECT_EQ(run_ok(text, spec("_start")).exit_code, 3);
}

TEST_P(Run, EndsAsExitedFromTheStartFunction) {
  const Outcome outcome = run_ok(
      R"((module (import "petri" "exit" (func $exit (param i32))) (func (export "f")) (func $s (call $exit (i32.const 7))) (start $s)))",
      spec("f"));
  EXPECT_EQ(outcome.kind, OutcomeKind::exited);
  EXPECT_EQ(outcome.place, Place::start);
  EXPECT_EQ(outcome.exit_code, 7);
}

constexpr std::string_view kSpin =
    R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 1)
  (func (export "spin") (drop (call $write (i32.const 0) (i32.const 1))) (loop br 0))))";

// R22, A20
TEST_P(Run, EndsAsCancelledWhenItIsStopped) {
  RunSpec run_spec = spec("spin");
  run_spec.limits.fuel_max = std::uint64_t{1} << 62;
  std::stop_source stop;
  // The guest itself says when it runs: standard output of a program reaches the host at once.
  const std::string_view text =
      R"((module (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
    (memory 1) (data (i32.const 0) "\08\00\00\00\01\00\00\00x")
    (func (export "spin") (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16))) (loop br 0))))";
  run_spec.on_stdout = [&stop](std::string_view) { stop.request_stop(); };
  const auto outcome = try_run(text, run_spec, stop.get_token());
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::cancelled);
  EXPECT_FALSE(outcome->repeatable);
  EXPECT_EQ(try_run(text, run_spec, stop.get_token()).error().code, ErrorCode::cancelled);
}

TEST_P(Run, IsStoppedFromAnotherThread) {
  RunSpec run_spec = spec("spin");
  run_spec.limits.fuel_max = std::uint64_t{1} << 62;
  std::stop_source stop;
  const std::jthread stopper([&stop] { stop.request_stop(); });
  const auto outcome = try_run(kSpin, run_spec, stop.get_token());
  EXPECT_TRUE(outcome ? outcome->kind == OutcomeKind::cancelled : outcome.error().code == ErrorCode::cancelled);
}

// HF17, R24, X13
TEST_P(Run, ReportsAFaultOfTheEngineAsAnError) {
  for (const EngineStep step : {EngineStep::instantiate, EngineStep::call}) {
    panic_at_next(step);
    EXPECT_EQ(run_error(kAdder, spec("add", {1, 2})).code, ErrorCode::engine_fault);
    EXPECT_EQ(run_ok(kAdder, spec("add", {1, 2})).kind, OutcomeKind::ok);
  }
}

TEST_P(Run, OfAnAutomaticTierIsInterpreted) {
  RunSpec run_spec = spec("add", {1, 2});
  run_spec.tier = Tier::automatic;
  EXPECT_EQ(run_ok(kAdder, run_spec).tier, Tier::interpreted);
}

// ---- the same again ----

constexpr std::string_view kRandom =
    R"((module (import "petri" "random" (func $random (result i64))) (import "petri" "clock_ms" (func $clock (result i64)))
  (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 1)
  (func (export "f") (param $n i32) (result i64) (local $sum i64) (local $i i32)
    (loop $again
      (local.set $sum (i64.rotl (i64.xor (local.get $sum) (call $random)) (i64.const 7)))
      (local.set $sum (i64.add (local.get $sum) (call $clock)))
      (br_if $again (i32.lt_u (local.tee $i (i32.add (local.get $i) (i32.const 1))) (local.get $n))))
    (i64.store (i32.const 0) (local.get $sum)) (drop (call $write (i32.const 0) (i32.const 8)))
    (local.get $sum))))";

// B13, F12, X11
TEST_P(Run, DependsOnTheSeedAloneWhenDeterministic) {
  RunSpec run_spec = spec("f", {50'000});
  run_spec.deterministic = true;
  run_spec.seed = 1;
  const Outcome first = run_ok(kRandom, run_spec);
  EXPECT_EQ(first.kind, OutcomeKind::ok);
  EXPECT_EQ(run_ok(kRandom, run_spec).values, first.values);
  EXPECT_EQ(run_ok(kRandom, run_spec).output, first.output);
  run_spec.seed = 2;
  EXPECT_NE(run_ok(kRandom, run_spec).values, first.values);
  run_spec.seed = 1;
  run_spec.tier = GetParam() == Tier::interpreted ? Tier::compiled : Tier::interpreted;
  const Outcome other = run_ok(kRandom, run_spec);
  EXPECT_EQ(other.values, first.values);
  EXPECT_EQ(other.fuel_used, first.fuel_used);
}

TEST_P(Run, GivesTheSameOnManyThreadsAtOnce) {  // X11
  RunSpec run_spec = spec("f", {2'000});
  run_spec.deterministic = true;
  const ArtifactPtr artifact = prepare(kRandom);
  const Outcome expected = *run(artifact, host_, run_spec);
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int& count : wrong) {
      threads.emplace_back([&] {
        for (int i = 0; i < 10; ++i) {
          const auto outcome = run(artifact, host_, run_spec);
          const bool same = outcome && outcome->values == expected.values && outcome->fuel_used == expected.fuel_used &&
                            outcome->output == expected.output &&
                            outcome->memory_peak_bytes == expected.memory_peak_bytes;
          if (!same) ++count;
        }
      });
    }
  }
  EXPECT_THAT(wrong, ElementsAre(0, 0, 0, 0));
}

PETRI_RUN_IN_BOTH_TIERS(Run);

}  // namespace
}  // namespace petri
