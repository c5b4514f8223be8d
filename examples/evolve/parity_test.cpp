#include "evolve/parity.h"

#include <gtest/gtest.h>

#include "evolve/generations.h"

namespace evolve {
namespace {

enum : std::uint16_t { d0, d1, d2, and_gate, or_gate, nand_gate, nor_gate };  // for three inputs

double score_of(const Tree& tree) {
  const TreeTask task = even_parity(3);
  petri::WasmBuilder module;
  task.emit(tree, module);
  const auto wasm = module.build().value();
  const std::vector<petri::Candidate> candidates{petri::Candidate::wasm(wasm)};
  const auto evaluation =
      petri::Evaluator().evaluate(candidates, task.judging.cases, task.judging.spec, {.scorer = task.judging.scorer});
  return evaluation.value().records.front().score.value();
}

// Equal when both are, or none is.
Tree equal(const Tree& one, const Tree& other) {
  Tree tree{{or_gate}, {and_gate}};
  const auto append = [&](const Tree& part) { tree.insert(tree.end(), part.begin(), part.end()); };
  append(one);
  append(other);
  tree.push_back({nor_gate});
  append(one);
  append(other);
  return tree;
}

TEST(Parity, OfAnInputAloneIsRightInHalfOfTheRows) { EXPECT_EQ(score_of({{d0}}), 4); }

TEST(Parity, OfAConstantIsRightInHalfOfTheRows) {
  EXPECT_EQ(score_of({{and_gate}, {d0}, {nor_gate}, {d0}, {d0}}), 4);
  EXPECT_EQ(score_of({{nand_gate}, {d0}, {nor_gate}, {d0}, {d0}}), 4);
}

TEST(Parity, IsSolvedByTheRightCircuit) {
  const Tree odd = equal(equal({{d0}}, {{d1}}), {{d2}});
  Tree even{{nand_gate}};
  even.insert(even.end(), odd.begin(), odd.end());
  even.insert(even.end(), odd.begin(), odd.end());

  EXPECT_EQ(score_of(odd), 8);
  EXPECT_EQ(score_of(even), 0);
}

TEST(Parity, OfThreeInputsIsFound) {
  TreeProblem problem(even_parity(3), 1);

  const auto end = run_generations(problem, {.budget = 40'000});

  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->ending, Ending::solved) << problem.best()->text;
}

}  // namespace
}  // namespace evolve
