#include "engine/fake_engine.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

FakeModule adder() {
  return {.functions = {{.name = "add",
                         .signature = {.params = {ValueType::i32, ValueType::i32}, .results = {ValueType::i32}},
                         .body = [](FakeCall& call) {
                           if (call.charge(3) == After::stop) return;
                           call.slots[0] += call.slots[1];
                         }}}};
}

std::unique_ptr<Instance> instance_of(const LoadableArtifact& artifact) {
  const auto code = artifact.load(Tier::interpreted, {});
  return std::move((*code)->instantiate({}, 1 << 20)->instance);
}

TEST(FakeEngine, PreparesTheModulesThatWereAdded) {
  FakeEngine engine;
  engine.add("adder", adder());
  const auto artifact = engine.prepare_wat("adder", 100);
  ASSERT_TRUE(artifact);
  EXPECT_EQ((*artifact)->exports().at(0).name, "add");
  EXPECT_EQ(engine.prepare_wat("other", 100).error().code, ErrorCode::rejected);
  EXPECT_EQ(engine.prepare_wat("adder", 3).error().code, ErrorCode::module_too_large);
}

TEST(FakeEngine, CallsCppFunctionsOnABudget) {
  FakeEngine engine;
  engine.add("adder", adder());
  const ArtifactPtr artifact = engine.artifact("adder");
  const auto instance = instance_of(loadable(*artifact));

  std::uint64_t slots[] = {2, 3};
  const auto end = instance->call(0, {.fuel = 3}, nullptr, slots);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->kind, EndKind::returned);
  EXPECT_EQ(end->fuel_used, 3U);
  EXPECT_EQ(slots[0], 5U);
  EXPECT_EQ(instance->call(0, {.fuel = 2}, nullptr, slots)->kind, EndKind::out_of_fuel);
}

}  // namespace
}  // namespace petri
