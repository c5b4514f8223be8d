// The limits on the memory, the output and the log of a run. Ids are those of docs/hostile-cases.md and
// docs/behaviours.md.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include "run/run_limits_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;

// ---- memory ----

constexpr std::string_view kGrow = R"((module (memory 1) (table $t 1 funcref)
  (func (export "memory") (param i32) (result i32 i32) (memory.grow (local.get 0)) (memory.size))
  (func (export "table") (param i32) (result i32 i32) (table.grow $t (ref.null func) (local.get 0)) (table.size $t))
  (func (export "page by page") (param i32) (result i32 i32) (local $grown i32) (local $refused i32)
    (loop
      (if (i32.eq (memory.grow (i32.const 1)) (i32.const -1)) (then (local.set $refused (i32.add (local.get $refused) (i32.const 1))))
        (else (local.set $grown (i32.add (local.get $grown) (i32.const 1)))))
      (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1)))))
    (local.get $grown) (local.get $refused))))";

// hostile B01, Q05
TEST_P(RunLimits, RefuseGrowthBeyondTheLimitAndContinue) {
  const Outcome outcome = run_ok(kGrow, spec("page by page", {300}));
  EXPECT_EQ(outcome.kind, OutcomeKind::ok);
  EXPECT_THAT(outcome.values, ElementsAre(Value(254), Value(46)));  // one page at the start, and the table's 8 bytes
  EXPECT_LE(outcome.memory_peak_bytes, 16U << 20);
  EXPECT_EQ(outcome.memory_peak_bytes, 255U * 65'536U + 8U);
}

TEST_P(RunLimits, RefuseGrowthAMillionTimesWithoutHarm) {
  RunSpec run_spec = spec("page by page", {200'000});
  run_spec.limits.fuel_max = 100'000'000;
  EXPECT_EQ(run_ok(kGrow, run_spec).kind, OutcomeKind::ok);
}

// hostile B02
TEST_P(RunLimits, RefuseEnormousGrowth) {
  EXPECT_THAT(run_ok(kGrow, spec("memory", {65'535})).values, ElementsAre(Value(-1), Value(1)));
  EXPECT_EQ(run_ok(kGrow, spec("memory", {-1})).kind, OutcomeKind::out_of_fuel);  // 64 for each page asked for
  EXPECT_THAT(run_ok(kGrow, spec("table", {10'000'000})).values, ElementsAre(Value(-1), Value(1)));
  EXPECT_THAT(run_ok(kGrow, spec("table", {1'000})).values, ElementsAre(Value(1), Value(1'001)));
  EXPECT_EQ(run_ok(kGrow, spec("table", {1'000})).memory_peak_bytes, 65'536U + 1'001U * 8U);
}

// hostile B03, Q06: see wasm_artifact_test for what is rejected.
TEST_P(RunLimits, EndAGuestWhoseMinimumDoesNotFit) {
  for (const std::string_view declaration : {"(memory 2)", "(memory 1) (table 1 funcref)"}) {
    RunSpec run_spec = spec("f");
    run_spec.limits.memory_bytes_max = 65'536;
    const Outcome outcome = run_ok(
        fmt::format("(module {} (func (export \"f\")) (func $s unreachable) (start $s))", declaration), run_spec);
    EXPECT_EQ(outcome.kind, OutcomeKind::memory_limit);
    EXPECT_EQ(outcome.place, Place::instantiate);
    EXPECT_EQ(outcome.cause, "memory_bytes_max");
    EXPECT_EQ(outcome.fuel_used, 0U);
  }
}

TEST_P(RunLimits, CountTheAnswerIntoMemory) {
  const std::string_view text =
      R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 1)
    (func (export "f") (result i32 i32) (call $write (i32.const 0) (i32.const 1000)) (memory.grow (i32.const 1)))))";
  RunSpec run_spec = spec("f");
  run_spec.limits.memory_bytes_max = 2 * 65'536 + 999;
  Outcome outcome = run_ok(text, run_spec);
  EXPECT_EQ(outcome.kind, OutcomeKind::ok);
  EXPECT_THAT(outcome.values, ElementsAre(Value(1'000), Value(-1)));
  EXPECT_EQ(outcome.memory_peak_bytes, 65'536U + 1'000U);
  run_spec.limits.memory_bytes_max = 65'536 + 10;
  outcome = run_ok(text, run_spec);
  EXPECT_EQ(outcome.kind, OutcomeKind::output_limit);
  EXPECT_EQ(outcome.cause, "memory_bytes_max");
  EXPECT_EQ(outcome.memory_peak_bytes, 65'536U + 10U);
}

// hostile B08
TEST_P(RunLimits, TrapOnASegmentBeyondTheEnd) {
  const Outcome outcome =
      run_ok(R"((module (memory 1) (data (i32.const 65530) "too long") (func (export "f"))))", spec("f"));
  EXPECT_EQ(outcome.kind, OutcomeKind::trapped);
  EXPECT_EQ(outcome.trap, TrapCode::memory_out_of_bounds);
  EXPECT_EQ(outcome.place, Place::instantiate);
}

// hostile B09: nobody finds a predecessor's bytes.
TEST_P(RunLimits, GiveEveryGuestFreshMemoryTablesAndGlobals) {
  const std::string_view text =
      R"((module (memory 2) (table $t 4 funcref) (global $g (mut i64) (i64.const 0)) (elem declare func $mark)
    (func $mark)
    (func (export "f") (result i32) (local $at i32) (local $dirty i32)
      (loop
        (local.set $dirty (i32.or (local.get $dirty) (i64.ne (i64.load (local.get $at)) (i64.const 0))))
        (i64.store (local.get $at) (i64.const -1))
        (br_if 0 (i32.lt_u (local.tee $at (i32.add (local.get $at) (i32.const 512))) (i32.const 131072))))
      (local.set $dirty (i32.or (local.get $dirty) (i32.eqz (ref.is_null (table.get $t (i32.const 3))))))
      (local.set $dirty (i32.or (local.get $dirty) (i64.ne (global.get $g) (i64.const 0))))
      (table.set $t (i32.const 3) (ref.func $mark)) (global.set $g (i64.const 1))
      (local.get $dirty))))";
  const ArtifactPtr artifact = prepare(text);
  for (int i = 0; i < (GetParam() == Tier::interpreted ? 1'000 : 100); ++i) {
    const auto outcome = run(artifact, host_, spec("f"));
    ASSERT_TRUE(outcome);
    ASSERT_THAT(outcome->values, ElementsAre(Value(0)));
  }
}

// hostile B10: 64 combinations of address and offset around the edges.
TEST_P(RunLimits, TrapExactlyWhereMemoryEnds) {
  const std::uint64_t addresses[] = {0, 65'528, 65'529, 65'535, 65'536, 0x7fff'ffff, 0xffff'fff8, 0xffff'ffff};
  const std::uint64_t offsets[] = {0, 1, 7, 8, 65'528, 65'529, 0xffff'fff8, 0xffff'ffff};
  for (const std::uint64_t offset : offsets) {
    const ArtifactPtr artifact = prepare(fmt::format(R"((module (memory 1)
      (func (export "load") (param i32) (result i64) (i64.load offset={0} (local.get 0)))
      (func (export "store") (param i32) (i64.store offset={0} (local.get 0) (i64.const 1)))))",
                                                     offset));
    for (const std::uint64_t address : addresses) {
      const bool inside = address + offset + 8 <= 65'536;
      for (const char* function : {"load", "store"}) {
        RunSpec run_spec = spec(function, {static_cast<std::int32_t>(address)});
        run_spec.backtrace = false;
        const auto outcome = run(artifact, host_, run_spec);
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->kind, inside ? OutcomeKind::ok : OutcomeKind::trapped) << address << "+" << offset;
        EXPECT_EQ(outcome->trap.has_value(), !inside);
        if (outcome->trap) {
          EXPECT_EQ(*outcome->trap, TrapCode::memory_out_of_bounds);
        }
      }
    }
  }
}

// ---- output and log ----

// Q17, F13
TEST_P(RunLimits, CutTheAnswerAndLetTheGuestReturnIfAskedTo) {
  const std::string_view text =
      R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 16)
    (func (export "f") (param $piece i32) (param $rounds i32) (result i32)
      (i32.store8 (i32.const 0) (i32.const 65))
      (loop (drop (call $write (i32.const 0) (local.get $piece)))
        (br_if 0 (local.tee $rounds (i32.sub (local.get $rounds) (i32.const 1)))))
      (i32.const 7))))";
  for (const auto& [piece, rounds] : {std::pair(1 << 20, 1'024), std::pair(1'000, 100'000)}) {
    RunSpec run_spec = spec("f", {piece, rounds});
    run_spec.limits.fuel_max = 1'000'000'000;
    run_spec.limits.output_bytes_max = 100'000;
    run_spec.ends_at_output_limit = false;
    const Outcome outcome = run_ok(text, run_spec);
    EXPECT_EQ(outcome.kind, OutcomeKind::output_limit);
    EXPECT_EQ(outcome.cause, "output_bytes_max");
    EXPECT_TRUE(outcome.returned);
    EXPECT_THAT(outcome.values, ElementsAre(Value(7)));
    EXPECT_EQ(outcome.output.size(), 100'000U);
    EXPECT_EQ(outcome.output[0], 'A');
    EXPECT_EQ(outcome.output_bytes_cut,
              static_cast<std::uint64_t>(piece) * static_cast<std::uint64_t>(rounds) - 100'000U);
  }
  // The cause of the end gives the name.
  RunSpec burning = spec("f", {1 << 20, 1'024});
  burning.ends_at_output_limit = false;
  const Outcome burned = run_ok(text, burning);
  EXPECT_EQ(burned.kind, OutcomeKind::out_of_fuel);
  EXPECT_EQ(burned.cause, "fuel_max");
  EXPECT_GT(burned.output_bytes_cut, 0U);
}

// F13
TEST_P(RunLimits, EndAGuestAtTheFirstByteTooMany) {
  const std::string_view text =
      R"((module (import "petri" "output_write" (func $write (param i32 i32) (result i32))) (memory 1)
    (func (export "f") (loop (drop (call $write (i32.const 0) (i32.const 3))) (br 0)))))";
  RunSpec run_spec = spec("f");
  run_spec.limits.output_bytes_max = 8;
  const Outcome outcome = run_ok(text, run_spec);
  EXPECT_EQ(outcome.kind, OutcomeKind::output_limit);
  EXPECT_EQ(outcome.cause, "output_bytes_max");
  EXPECT_FALSE(outcome.returned);
  EXPECT_TRUE(outcome.repeatable);
  EXPECT_EQ(outcome.output.size(), 8U);
  EXPECT_EQ(outcome.output_bytes_cut, 1U);
  EXPECT_EQ(outcome.fuel_used, 1 + 3 * (5 + 8U));  // a block is paid when it is entered
}

// Q18, F10
TEST_P(RunLimits, DropLinesOfAGuestThatLogsTooFast) {
  const std::string_view text =
      R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32))) (memory 1)
    (func (export "f") (param i32) (loop (drop (call $log (i32.const 2) (i32.const 0) (i32.const 99)))
      (br_if 0 (local.tee 0 (i32.sub (local.get 0) (i32.const 1))))))))";
  std::uint64_t lines = 0;
  RunSpec run_spec = spec("f", {1'000});
  run_spec.deterministic = true;
  run_spec.limits.log_bytes_per_second_max = 5'000;
  run_spec.on_log = [&lines](LogLevel, std::string_view) { ++lines; };
  const Outcome outcome = run_ok(text, run_spec);
  EXPECT_EQ(outcome.kind, OutcomeKind::ok);
  EXPECT_EQ(lines, 50U);
  EXPECT_EQ(outcome.counts.log_lines_dropped, 950U);
  EXPECT_EQ(outcome.counts.log_bytes_dropped, 950U * 99U);
}

// A13: NaNs of every operator that makes one have one form.
TEST_P(RunLimits, MakeNanBitsTheSameEverywhere) {
  const std::string_view text = R"((module (func (export "f") (param f64 f32) (result i64)
    (local $sum i64)
    (local.set $sum (i64.xor (local.get $sum) (i64.reinterpret_f64 (f64.div (local.get 0) (local.get 0)))))
    (local.set $sum (i64.rotl (i64.xor (local.get $sum) (i64.reinterpret_f64 (f64.sqrt (f64.const -1)))) (i64.const 1)))
    (local.set $sum (i64.rotl (i64.xor (local.get $sum) (i64.reinterpret_f64 (f64.sub (f64.const inf) (f64.const inf)))) (i64.const 1)))
    (local.set $sum (i64.rotl (i64.xor (local.get $sum) (i64.reinterpret_f64 (f64.mul (f64.const 0) (f64.const inf)))) (i64.const 1)))
    (local.set $sum (i64.rotl (i64.xor (local.get $sum) (i64.reinterpret_f64 (f64.min (local.get 0) (f64.const nan:0x4000000000001)))) (i64.const 1)))
    (local.set $sum (i64.rotl (i64.xor (local.get $sum) (i64.reinterpret_f64 (f64.promote_f32 (f32.div (local.get 1) (local.get 1))))) (i64.const 1)))
    (local.set $sum (i64.rotl (i64.xor (local.get $sum) (i64.extend_i32_u (i32.reinterpret_f32 (f32.demote_f64 (f64.const -nan:0x4000000000001))))) (i64.const 1)))
    (local.get $sum))))";
  RunSpec run_spec = spec("f", {0.0, 0.0F});
  run_spec.deterministic = true;
  const std::uint64_t canonical = 0x7ff8'0000'0000'0000;
  std::uint64_t expected = canonical;
  for (int i = 0; i < 5; ++i) expected = std::rotl(expected ^ canonical, 1);
  expected = std::rotl(expected ^ 0x7fc0'0000U, 1);
  EXPECT_THAT(run_ok(text, run_spec).values, ElementsAre(Value::from_bits(ValueType::i64, expected)));
}

}  // namespace
}  // namespace petri
