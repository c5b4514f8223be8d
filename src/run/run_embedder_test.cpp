// R28: functions of the embedding program.
#include <gmock/gmock.h>

#include <stdexcept>

#include "host/files/temporary_folder.h"
#include "run/run_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;

class RunEmbedder : public RunFixture {};

TEST_P(RunEmbedder, IsCalledWithItsTypes) {
  ASSERT_TRUE(host_.define("game", "mix", [](std::int32_t a, std::int64_t b, float c, double d) {
    return std::tuple(d + a, static_cast<std::uint64_t>(b) + 1, c * 2);
  }));
  const Outcome outcome =
      run_ok(R"((module (import "game" "mix" (func $mix (param i32 i64 f32 f64) (result f64 i64 f32)))
    (func (export "f") (result f64 i64 f32) (call $mix (i32.const -3) (i64.const -1) (f32.const 1.5) (f64.const 0.5)))))",
             spec("f"));
  EXPECT_THAT(outcome.values, ElementsAre(Value(-2.5), Value(std::int64_t{0}), Value(3.0F)));
}

TEST_P(RunEmbedder, IsChargedItsFuel) {
  ASSERT_TRUE(host_.define("game", "dear", [] {}, {.fuel = 1'000}));
  const std::string_view text = R"((module (import "game" "dear" (func)) (func (export "f") (call 0))))";
  RunSpec run_spec = spec("f");
  run_spec.limits.fuel_max = 1'001;
  EXPECT_EQ(run_ok(text, run_spec).kind, OutcomeKind::ok);
  EXPECT_EQ(run_ok(text, run_spec).fuel_used, 1'001U);
  run_spec.limits.fuel_max = 1'000;
  EXPECT_EQ(run_ok(text, run_spec).kind, OutcomeKind::out_of_fuel);
}

TEST_P(RunEmbedder, IsRefusedWithoutItsPermission) {
  ASSERT_TRUE(host_.define("game", "spawn", [] {}, {.permission = Permission::file_write}));
  const std::string_view text = R"((module (import "game" "spawn" (func)) (func (export "f"))))";
  EXPECT_EQ(run_error(text, spec("f")).code, ErrorCode::link_error);
  RunSpec run_spec = spec("f");
  run_spec.permissions = run_spec.permissions.with(Permission::file_write);
  EXPECT_EQ(run_ok(text, run_spec).kind, OutcomeKind::ok);
}

TEST_P(RunEmbedder, ThatThrowsGivesTheGuestAnErrorNumber) {
  ASSERT_TRUE(host_.define("game", "fail", [](std::int32_t) -> std::int32_t { throw std::runtime_error("no"); }));
  const Outcome outcome = run_ok(R"((module (import "game" "fail" (func $fail (param i32) (result i32)))
    (func (export "f") (result i32 i32) (call $fail (i32.const 1)) (call $fail (i32.const 2)))))",
                                 spec("f"));
  EXPECT_THAT(outcome.values, ElementsAre(Value(kHostFunctionThrew), Value(kHostFunctionThrew)));
  EXPECT_EQ(outcome.counts.host_functions_threw, 2U);
}

TEST_P(RunEmbedder, GetsItsNansMadeCanonical) {
  ASSERT_TRUE(host_.define("game", "nan", [] { return std::bit_cast<double>(0xfff4'0000'dead'beefU); }));
  const Outcome outcome = run_ok(R"((module (import "game" "nan" (func $nan (result f64)))
    (func (export "f") (result i64) (i64.reinterpret_f64 (call $nan)))))",
                                 spec("f"));
  EXPECT_THAT(outcome.values, ElementsAre(Value(std::int64_t{0x7ff8'0000'0000'0000})));
}

TEST_P(RunEmbedder, MayRunAnotherGuestInside) {
  const ArtifactPtr inner =
      prepare(R"((module (func (export "g") (param i32) (result i32) (i32.mul (local.get 0) (i32.const 3)))))");
  const RunSpec inner_spec = spec("g", {5});
  ASSERT_TRUE(host_.define("game", "other", [&] { return run(inner, HostFunctions(), inner_spec)->values[0].i32(); }));
  const Outcome outcome = run_ok(R"((module (import "game" "other" (func $other (result i32)))
    (func (export "f") (result i32) (i32.add (call $other) (call $other)))))",
                                 spec("f"));
  EXPECT_THAT(outcome.values, ElementsAre(Value(30)));
}

// Issue 16, point 24.
TEST_P(RunEmbedder, WithEffectsMakesARunThatCannotBeRepeated) {
  ASSERT_TRUE(host_.define("game", "roll", [] { return 4; }));
  ASSERT_TRUE(host_.define("game", "rule", [] { return 6; }, {.deterministic = true}));
  const std::string_view text = R"((module
    (import "game" "roll" (func $roll (result i32))) (import "game" "rule" (func $rule (result i32)))
    (func (export "rolls") (result i32) (call $roll)) (func (export "rules") (result i32) (call $rule))))";
  EXPECT_FALSE(run_ok(text, spec("rolls")).repeatable);
  EXPECT_TRUE(run_ok(text, spec("rules")).repeatable);
}

TEST_P(RunEmbedder, AndFilesAreWhatARunThatReadsThemCannotBeRepeatedFor) {
  const TemporaryFolder folder;
  folder.write("x", "hello");
  RunSpec reading = spec("reads");
  reading.folder = folder.path();
  reading.permissions = reading.permissions.with(Permission::file_read);
  const std::string_view text = R"((module
    (import "wasi_snapshot_preview1" "path_open"
      (func $open (param i32 i32 i32 i32 i32 i64 i64 i32 i32) (result i32)))
    (import "wasi_snapshot_preview1" "fd_read" (func $read (param i32 i32 i32 i32) (result i32)))
    (memory (export "memory") 1) (data (i32.const 0) "\40\00\00\00\10\00\00\00") (data (i32.const 32) "x")
    (func (export "reads") (result i32)
      (drop (call $open (i32.const 3) (i32.const 0) (i32.const 32) (i32.const 1) (i32.const 0) (i64.const 2) (i64.const 2)
                        (i32.const 0) (i32.const 16)))
      (drop (call $read (i32.load (i32.const 16)) (i32.const 0) (i32.const 1) (i32.const 20)))
      (i32.load (i32.const 20)))
    (func (export "reads_not") (result i32) (i32.const 0))))";
  const Outcome outcome = run_ok(text, reading);
  EXPECT_THAT(outcome.values, ElementsAre(Value(5)));
  EXPECT_FALSE(outcome.repeatable);
  reading.function = "reads_not";
  EXPECT_TRUE(run_ok(text, reading).repeatable);
}

PETRI_RUN_IN_BOTH_TIERS(RunEmbedder);

}  // namespace
}  // namespace petri
