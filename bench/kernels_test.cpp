#include "bench/kernels.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bench/loaded_module.h"
#include "engine/bare_engine.h"

namespace petri::bench {
namespace {

TEST(Kernels, AreEnoughForAMeanBesideRecursion) {
  const auto recursive = std::count_if(kernels().begin(), kernels().end(), is_recursive);
  EXPECT_EQ(recursive, 1);
  EXPECT_GE(kernels().size(), 8U + 1U);
}

// The kernels that are compared have to do the same work.
TEST(Kernels, GiveTheSameNumberMeteredAndBareInBothTiers) {
  for (const Kernel& kernel : kernels()) {
    const auto artifact = Artifact::from_wat(kernel.text, kModuleBytesMax);
    ASSERT_TRUE(artifact) << kernel.name << ": " << artifact.error().message;
    const ValueType type = (*artifact)->find_export("run")->signature.results.at(0);
    std::vector<Value> answers;
    for (Tier tier : {Tier::interpreted, Tier::compiled}) {
      std::uint64_t ours = 2, theirs = 2;
      auto function = LiveFunction::open(load_module((*artifact)->bytes(), tier).value(), "run");
      ASSERT_TRUE(function->call({&ours, 1})) << kernel.name;
      auto bare = BareEngine::open((*artifact)->bytes(), {.tier = tier, .own_fuel = true, .function = "run"});
      ASSERT_TRUE(bare && bare->call({&theirs, 1})) << kernel.name;
      answers.push_back(Value::from_bits(type, ours));
      answers.push_back(Value::from_bits(type, theirs));
    }
    EXPECT_EQ(std::count(answers.begin(), answers.end(), answers.front()), 4) << kernel.name;
  }
}

}  // namespace
}  // namespace petri::bench
