#include "evolve/tree.h"

#include <gtest/gtest.h>
#include <petri/artifact.h>
#include <petri/run.h>

#include <cmath>

#include "evolve/arithmetic.h"
#include "evolve/random_tree.h"

namespace evolve {
namespace {

namespace a = arithmetic;

// Leaves x, y and a constant; then + - * / neg inv sqrt sin log min.
Language test_language() {
  return make_language(petri::ValueType::f64,
                       {variable("x", 0), variable("y", 1), a::constant([](Random&) { return 2.5; })},
                       {a::add(), a::subtract(), a::multiply(), a::divide(), a::negate(), a::invert(), a::square_root(),
                        a::sine(), a::logarithm(), a::minimum()});
}
enum : std::uint16_t {
  x,
  y,
  constant,
  add,
  subtract,
  multiply,
  divide,
  negate,
  invert,
  root,
  sine,
  logarithm,
  minimum
};

double value_of(const Tree& tree, double x_value, double y_value) {
  petri::WasmBuilder module;
  emit_function(tree, test_language(), 2, module);
  const auto artifact = petri::Artifact::from_wasm(module.build().value(), 1 << 20);
  EXPECT_TRUE(artifact) << artifact.error().message;
  const auto outcome =
      petri::run(*artifact, petri::HostFunctions(), {.function = "f", .arguments = {x_value, y_value}});
  EXPECT_TRUE(outcome) << outcome.error().message;
  return outcome->values.at(0).f64();
}

TEST(Tree, IsWrittenAsAFormula) {
  const Language language = test_language();

  EXPECT_EQ(to_text({{add}, {x}, {multiply}, {y}, {constant, 2.5}}, language), "x + (y * 2.5)");
  EXPECT_EQ(to_text({{sine}, {add}, {x}, {x}}, language), "sin((x + x))");
  EXPECT_EQ(to_text({{minimum}, {x}, {y}}, language), "min(x, y)");
  EXPECT_EQ(to_text({{x}}, language), "x");
}

TEST(Tree, KnowsItsSubtreesAndItsDepth) {
  const Language language = test_language();
  const Tree tree{{add}, {sine}, {x}, {multiply}, {y}, {negate}, {x}};

  EXPECT_EQ(subtree_end(tree, 0, language), 7U);
  EXPECT_EQ(subtree_end(tree, 1, language), 3U);
  EXPECT_EQ(subtree_end(tree, 3, language), 7U);
  EXPECT_EQ(depth(tree, language), 4U);
  EXPECT_EQ(depth({{x}}, language), 1U);
}

TEST(Tree, ComputesAsAModule) {
  EXPECT_EQ(value_of({{add}, {x}, {multiply}, {y}, {constant, 2.5}}, 1, 4), 11);
  EXPECT_EQ(value_of({{subtract}, {x}, {y}}, 1, 4), -3);
  EXPECT_NEAR(value_of({{add}, {sine}, {x}, {sine}, {y}}, 1, 2), std::sin(1) + std::sin(2), 1e-12);
}

TEST(Tree, IsProtectedFromDividingByZeroAndFromLogarithmsOfIt) {
  EXPECT_EQ(value_of({{divide}, {x}, {y}}, 3, 0), 1);
  EXPECT_EQ(value_of({{divide}, {x}, {y}}, 3, 2), 1.5);
  EXPECT_EQ(value_of({{invert}, {x}}, 0, 0), 1);
  EXPECT_EQ(value_of({{invert}, {x}}, 4, 0), 0.25);
  EXPECT_EQ(value_of({{logarithm}, {x}}, 0, 0), 0);
  EXPECT_NEAR(value_of({{logarithm}, {x}}, -2, 0), std::log(2), 1e-12);
  EXPECT_EQ(value_of({{root}, {x}}, -9, 0), 3);
}

TEST(Tree, ProtectsDivisionsInsideDivisions) {
  // (x / (y / y)) / (x / y)
  EXPECT_EQ(value_of({{divide}, {divide}, {x}, {divide}, {y}, {y}, {divide}, {x}, {y}}, 6, 2), 2);
}

TEST(RandomTree, IsAsDeepAsItsShapeSays) {
  const Language language = test_language();
  Random random(3);
  for (std::size_t deepest = 2; deepest <= 6; ++deepest) {
    for (int i = 0; i < 50; ++i) {
      EXPECT_EQ(depth(random_tree(language, {.depth_max = deepest, .full = true}, random), language), deepest);
      EXPECT_LE(depth(random_tree(language, {.depth_max = deepest}, random), language), deepest);
    }
  }
}

TEST(ChangedTrees, AreWholeTrees) {
  const Language language = test_language();
  Random random(3);
  const auto is_whole = [&](const Tree& tree) { return subtree_end(tree, 0, language) == tree.size(); };
  for (int i = 0; i < 500; ++i) {
    const Tree mother = random_tree(language, {.depth_max = 5}, random);
    const Tree father = random_tree(language, {.depth_max = 5}, random);
    ASSERT_TRUE(is_whole(crossed(mother, father, language, random)));
    ASSERT_TRUE(is_whole(with_new_branch(mother, language, random)));
    ASSERT_TRUE(is_whole(branch_of(mother, language, random)));
    const Tree changed = with_new_node(mother, language, random);
    ASSERT_TRUE(is_whole(changed));
    ASSERT_EQ(changed.size(), mother.size());
  }
}

}  // namespace
}  // namespace evolve
