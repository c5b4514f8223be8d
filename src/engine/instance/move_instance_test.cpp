#include "engine/instance/move_instance.h"

#include <gtest/gtest.h>

#include <tuple>

#include "engine/engine.h"
#include "engine/loadable_artifact.h"

namespace petri {
namespace {

// Every way state is kept: memory that grows, globals of each type, some exported and some not.
constexpr std::string_view kCounting = R"((module
  (memory (export "memory") 1 4) (data (i32.const 8) "data")
  (global $i (mut i32) (i32.const 1)) (global $l (export "l") (mut i64) (i64.const 2))
  (global $f (mut f32) (f32.const 3)) (global $d (mut f64) (f64.const 4)) (global $fixed i32 (i32.const 5))
  (func $start (global.set $i (i32.add (global.get $i) (i32.const 100)))) (start $start)
  (func (export "step") (result i32 i64 f32 f64)
    (drop (memory.grow (i32.const 1)))
    (i32.store (i32.sub (i32.mul (memory.size) (i32.const 65536)) (i32.const 4)) (i32.const 77))
    (i32.store (i32.const 0) (i32.add (i32.load (i32.const 0)) (global.get $fixed)))
    (global.set $i (i32.add (global.get $i) (i32.const 1)))
    (global.set $l (i64.add (global.get $l) (i64.const 1)))
    (global.set $f (f32.add (global.get $f) (f32.const 1)))
    (global.set $d (f64.add (global.get $d) (f64.const 1)))
    (i32.add (global.get $i) (i32.add (i32.load (i32.const 0)) (memory.size)))
    (global.get $l) (global.get $f) (global.get $d))))";

class MoveInstanceTest : public testing::TestWithParam<std::tuple<Tier, Tier>> {
 protected:
  static constexpr std::uint64_t kMemoryMax = 1 << 20;

  void prepare(std::string_view text) {
    auto artifact = Artifact::from_wat(text, 1 << 20);
    ASSERT_TRUE(artifact) << artifact.error().message;
    artifact_ = *artifact;
  }
  CodePtr load(Tier tier) const { return *loadable(*artifact_).load(tier, {}); }
  std::unique_ptr<Instance> instantiate(Tier tier) const {
    return std::move(load(tier)->instantiate({}, kMemoryMax)->instance);
  }

  struct Step {
    std::vector<std::uint64_t> values;
    End end;
    bool operator==(const Step&) const = default;
  };
  Step step(Instance& instance, std::uint32_t function) const {
    Step step{.values = std::vector<std::uint64_t>(function == Instance::kStartFunction ? 0 : 4), .end = {}};
    step.end = *instance.call(function, {.fuel = 1'000}, nullptr, step.values);
    return step;
  }
  std::uint32_t number(std::string_view name) const { return *loadable(*artifact_).export_number(name); }

  ArtifactPtr artifact_;
};

TEST_P(MoveInstanceTest, ContinuesAsIfNothingHadHappened) {
  const auto [from_tier, to_tier] = GetParam();
  prepare(kCounting);
  auto staying = instantiate(from_tier);
  auto moving = instantiate(from_tier);
  for (Instance* instance : {staying.get(), moving.get()})
    EXPECT_EQ(step(*instance, Instance::kStartFunction).end.kind, EndKind::returned);
  for (int turn = 0; turn < 6; ++turn) {  // the fourth growth is refused
    EXPECT_EQ(step(*moving, number("step")), step(*staying, number("step"))) << turn;
    auto moved = move_instance(*moving, *load(turn % 2 == 0 ? to_tier : from_tier), {}, kMemoryMax);
    ASSERT_TRUE(moved) << moved.error().message;
    EXPECT_EQ((*moved)->memory().size(), moving->memory().size());
    moving = std::move(*moved);
  }
  EXPECT_EQ(moving->memory()[8], 'd');
}

TEST_P(MoveInstanceTest, IsRefusedToModulesThatCannotBeMoved) {
  const auto [from_tier, to_tier] = GetParam();
  prepare(
      R"((module (table $t 1 funcref) (elem declare func $f) (func $f (export "f") (table.set $t (i32.const 0) (ref.func $f)))))");
  auto instance = instantiate(from_tier);
  EXPECT_FALSE(move_instance(*instance, *load(to_tier), {}, kMemoryMax));
  EXPECT_EQ(instance->call(0, {.fuel = 100}, nullptr, {})->kind, EndKind::returned) << "it goes on where it was";
}

TEST_P(MoveInstanceTest, IsRefusedBetweenDifferentDeclarationsAndAfterAnEnd) {
  const auto [from_tier, to_tier] = GetParam();
  prepare("(module (memory 1) (global (mut i32) (i32.const 1)) (func (export \"f\") unreachable))");
  auto instance = instantiate(from_tier);
  const CodePtr same = load(to_tier);
  for (const std::string_view other :
       {"(module (memory 1))", "(module (global (mut i32) (i32.const 1)))",
        "(module (memory 1 2) (global (mut i32) (i32.const 1)))",
        "(module (memory 1) (global (mut f32) (f32.const 1)))", "(module (memory 1) (global i32 (i32.const 1)))"}) {
    prepare(other);
    const auto moved = move_instance(*instance, *load(to_tier), {}, kMemoryMax);
    ASSERT_FALSE(moved) << other;
    EXPECT_EQ(moved.error().code, ErrorCode::state_incompatible) << moved.error().message;
  }
  EXPECT_EQ(instance->call(0, {.fuel = 100}, nullptr, {})->kind, EndKind::trapped);
  EXPECT_EQ(move_instance(*instance, *same, {}, kMemoryMax).error().code, ErrorCode::validation_failed);
}

// Globals are carried by their order among the mutable ones, and each artifact counts its own tables.
TEST_P(MoveInstanceTest, ContinuesInOtherCodeThatDeclaresTheSame) {
  const auto [from_tier, to_tier] = GetParam();
  prepare(
      "(module (memory 1) (global $g (mut i32) (i32.const 1)) (func (export \"f\") (global.set $g (i32.const 7)) "
      "(i32.store (i32.const 4) (memory.grow (i32.const 1)))))");
  auto instance = instantiate(from_tier);
  ASSERT_EQ(instance->call(0, {.fuel = 100}, nullptr, {})->kind, EndKind::returned);
  prepare(
      "(module (memory 1) (table 3 funcref) (global i64 (i64.const 2)) (global $g (mut i32) (i32.const 1)) "
      "(func (export \"g\") (result i32) (i32.add (global.get $g) (i32.load (i32.const 4)))))");
  auto moved = move_instance(*instance, *load(to_tier), {}, kMemoryMax);
  ASSERT_TRUE(moved) << moved.error().message;
  std::vector<std::uint64_t> sum(1);
  const End end = *(*moved)->call(0, {.fuel = 100}, nullptr, sum);
  EXPECT_EQ(sum[0], 8U);
  EXPECT_EQ(end.memory_bytes, 2 * 65'536U + 3 * 8);
}

INSTANTIATE_TEST_SUITE_P(Tiers, MoveInstanceTest,
                         testing::Values(std::tuple(Tier::interpreted, Tier::compiled),
                                         std::tuple(Tier::compiled, Tier::interpreted),
                                         std::tuple(Tier::compiled, Tier::compiled)));

}  // namespace
}  // namespace petri
