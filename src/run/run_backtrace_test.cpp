// Traps and where they happened.
#include <gmock/gmock.h>

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>

#include "run/run_fixture.h"
#include "run/run_in.h"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

class RunBacktrace : public RunFixture {
 protected:
  static std::vector<std::string> names(const Outcome& outcome) {
    std::vector<std::string> result;
    for (const Frame& frame : outcome.backtrace) result.push_back(frame.name);
    return result;
  }
};

struct TrapCase {
  const char* body;
  TrapCode code;
  std::vector<std::uint8_t> operators;  // the body as bytes
  std::size_t culprit;                  // which of these bytes starts the operator that traps
};

// Where a function of these operators and without locals starts.
std::size_t offset_of_code(std::span<const std::uint8_t> wasm, const std::vector<std::uint8_t>& operators) {
  std::vector<std::uint8_t> entry{static_cast<std::uint8_t>(operators.size() + 2), 0x00};
  entry.insert(entry.end(), operators.begin(), operators.end());
  entry.push_back(0x0b);
  const auto found = std::ranges::search(wasm, entry);
  EXPECT_TRUE(std::ranges::search(std::ranges::subrange(found.end(), wasm.end()), entry).empty());
  return static_cast<std::size_t>(found.begin() - wasm.begin()) + 2;
}

// A11, R08
TEST_P(RunBacktrace, NamesTheFunctionAndOperatorOfEachTrap) {
  const TrapCase cases[] = {
      {"unreachable", TrapCode::unreachable, {0x00}, 0},
      {"nop unreachable", TrapCode::unreachable, {0x01, 0x00}, 1},
      {"(drop (i32.div_u (i32.const 1) (i32.const 0)))",
       TrapCode::integer_divide_by_zero,
       {0x41, 1, 0x41, 0, 0x6e, 0x1a},
       4},
      {"(drop (i32.div_s (i32.const 0x80000000) (i32.const -1)))",
       TrapCode::integer_overflow,
       {0x41, 0x80, 0x80, 0x80, 0x80, 0x78, 0x41, 0x7f, 0x6d, 0x1a},
       8},
      {"(drop (i32.trunc_f64_s (f64.const nan)))",
       TrapCode::bad_conversion_to_integer,
       {0x44, 0, 0, 0, 0, 0, 0, 0xf8, 0x7f, 0xaa, 0x1a},
       9},
      {"(drop (i32.load (i32.const 65533)))",
       TrapCode::memory_out_of_bounds,
       {0x41, 0xfd, 0xff, 0x03, 0x28, 2, 0, 0x1a},
       4},
      {"(call_indirect (i32.const 7))", TrapCode::table_out_of_bounds, {0x41, 7, 0x11, 1, 0}, 2},
      {"(call_indirect (i32.const 1))", TrapCode::indirect_call_to_null, {0x41, 1, 0x11, 1, 0}, 2},
      {"(call_indirect (i32.const 0))", TrapCode::bad_signature, {0x41, 0, 0x11, 1, 0}, 2},
  };
  for (const TrapCase& trap : cases) {
    const ArtifactPtr artifact = prepare(fmt::format(R"((module (memory 1) (table 2 funcref) (elem (i32.const 0) $other)
      (func $other (param i32)) (func $culprit {}) (func $entry (export "f") (call $culprit))))",
                                                     trap.body));
    const auto outcome = run(artifact, host_, spec("f"));
    ASSERT_TRUE(outcome) << outcome.error().message;
    EXPECT_EQ(outcome->kind, OutcomeKind::trapped) << trap.body;
    EXPECT_EQ(outcome->trap, trap.code) << trap.body;
    EXPECT_THAT(names(*outcome), ElementsAre("culprit", "entry")) << trap.body;
    ASSERT_FALSE(outcome->backtrace.empty());
    EXPECT_EQ(outcome->backtrace[0].function, 1U);
    EXPECT_EQ(outcome->backtrace[0].offset, offset_of_code(artifact->bytes(), trap.operators) + trap.culprit)
        << trap.body;
  }
}

// How long it may take to compile a module that traps at once, only to say where.
std::optional<Clock::Duration> time_to_explain(Clock::Duration execution_time_max) {
  const ArtifactPtr artifact = *Artifact::from_wat(R"((module (func (export "f") unreachable)))", 1'000);
  std::optional<Clock::Duration> asked;
  const auto load = [&](Tier tier, const LoadOptions& options) -> Result<CodePtr> {
    if (tier == Tier::interpreted) return loadable(*artifact).load(tier, {}, options);
    asked = options.compile.time_max;
    return fail(ErrorCode::timeout, "it is not compiled");
  };
  const SystemClock clock;
  RunSpec spec{.function = "f", .tier = Tier::interpreted};
  spec.limits.execution_time_max = execution_time_max;
  const auto outcome = run_in({.clock = clock, .load = load}, artifact, {}, spec, {});
  EXPECT_EQ(outcome->kind, OutcomeKind::trapped);
  return asked;
}

// It took five seconds beyond a deadline of 100 ms.
TEST(RunExplanation, HasWhatIsLeftOfTheRunsTimeAndNoMoreThanASecond) {
  using std::chrono::milliseconds;
  EXPECT_EQ(time_to_explain(std::chrono::seconds(60)), milliseconds(1'000));
  EXPECT_LT(time_to_explain(milliseconds(900)), milliseconds(900));
}

// A10
TEST_P(RunBacktrace, ExplainsATrapInTheStartFunction) {
  const Outcome outcome = run_ok(R"((module (func $begin unreachable) (start $begin) (func (export "f"))))", spec("f"));
  EXPECT_EQ(outcome.kind, OutcomeKind::trapped);
  EXPECT_EQ(outcome.place, Place::start);
  EXPECT_THAT(names(outcome), ElementsAre("begin"));
}

// hostile C09: bad names fall back to numbers; others are escaped and cut.
TEST_P(RunBacktrace, ShowsNamesOnlyInAFormFitToBeShown) {
  const Outcome outcome =
      run_ok(fmt::format(R"((module (func (@name "a\1b[2J\n{}") unreachable) (func (export "f") (call 0))))",
                         std::string(900, 'x')),
             spec("f"));
  ASSERT_THAT(outcome.backtrace, SizeIs(2));
  EXPECT_LE(outcome.backtrace[0].name.size(), 200U);
  EXPECT_THAT(outcome.backtrace[0].name, testing::StartsWith("a\\x1b[2J\\nxxx"));
  EXPECT_EQ(outcome.backtrace[1].name, "f");
}

TEST_P(RunBacktrace, IsOnlyAsDeepAsItIsUseful) {
  const Outcome outcome = run_ok(R"((module (func $f (export "f") (param i32)
    (if (i32.eqz (local.get 0)) (then unreachable)) (call $f (i32.sub (local.get 0) (i32.const 1))))))",
                                 spec("f", {500}));
  EXPECT_EQ(outcome.kind, OutcomeKind::trapped);
  EXPECT_THAT(outcome.backtrace, SizeIs(64));
}

constexpr std::string_view kLogsThenTraps =
    R"((module (import "petri" "log" (func $log (param i32 i32 i32) (result i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory 1) (data (i32.const 0) "\08\00\00\00\01\00\00\00x")
  (func (export "f") (drop (call $log (i32.const 0) (i32.const 0) (i32.const 3)))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16))) (drop (call $write (i32.const 2) (i32.const 0) (i32.const 1) (i32.const 16))) unreachable)))";

TEST_P(RunBacktrace, IsFoundWithoutReportingAnythingTwice) {
  int logs = 0;
  std::string out;
  std::string errors;
  RunSpec run_spec = spec("f");
  run_spec.on_log = [&logs](LogLevel, std::string_view) { ++logs; };
  run_spec.on_stdout = [&out](std::string_view bytes) { out += bytes; };
  run_spec.on_stderr = [&errors](std::string_view bytes) { errors += bytes; };
  const Outcome outcome = run_ok(kLogsThenTraps, run_spec);
  EXPECT_THAT(outcome.backtrace, SizeIs(1));
  EXPECT_EQ(logs, 1);
  EXPECT_EQ(out, "x");
  EXPECT_EQ(errors, "x");
  EXPECT_EQ(outcome.tier, GetParam());
}

TEST_P(RunBacktrace, IsLeftOutWhenNotAskedForAndNotKept) {
  RunSpec run_spec = spec("f");
  run_spec.backtrace = false;
  EXPECT_THAT(run_ok(kLogsThenTraps, run_spec).backtrace, SizeIs(GetParam() == Tier::compiled ? 1 : 0));
}

TEST_P(RunBacktrace, IsNotFoundByRepeatingWhatHasEffects) {
  int calls = 0;
  ASSERT_TRUE(host_.define("game", "fire", [&calls] { ++calls; }));
  const Outcome outcome =
      run_ok(R"((module (import "game" "fire" (func)) (func (export "f") (call 0) unreachable)))", spec("f"));
  EXPECT_EQ(outcome.kind, OutcomeKind::trapped);
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(outcome.backtrace, SizeIs(GetParam() == Tier::compiled ? 1 : 0));
}

// The host answers differently the second time: an explanation of something else is none.
TEST_P(RunBacktrace, IsNotTakenFromARepetitionThatWentAnotherWay) {
  std::int32_t calls = 0;
  ASSERT_TRUE(host_.define("game", "turn", [&calls] { return calls++; }, {.deterministic = true}));
  const Outcome outcome = run_ok(R"((module (import "game" "turn" (func (result i32)))
    (func (export "f") (if (i32.eqz (call 0)) (then unreachable)) (drop (i32.div_u (i32.const 1) (i32.const 0))))))",
                                 spec("f"));
  EXPECT_EQ(outcome.trap, TrapCode::unreachable);
  EXPECT_EQ(calls, GetParam() == Tier::compiled ? 1 : 2);
  EXPECT_THAT(outcome.backtrace, SizeIs(GetParam() == Tier::compiled ? 1 : 0));
}

PETRI_RUN_IN_BOTH_TIERS(RunBacktrace);

}  // namespace
}  // namespace petri
