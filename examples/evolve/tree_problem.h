// Genetic programming: a population of trees under tournament selection.
#pragma once

#include <memory>
#include <optional>

#include "evolve/problem.h"
#include "evolve/random_tree.h"

namespace evolve {

struct TreePopulationSpec {
  std::size_t size = 500;
  std::size_t tournament = 5;
  std::size_t nodes_max = 50;
  std::size_t depth_max = 17;
  std::size_t first_depth_max = 6;
  std::size_t patience = 10;  // generations without a better tree before all start again
};

// All that is particular to one problem whose programs are trees.
struct TreeTask {
  std::string title;
  Language language;
  TreePopulationSpec population;
  Judging judging;
  // Makes the module of one tree.
  std::function<void(const Tree&, petri::WasmBuilder&)> emit;
  // Sums up a candidate's record in one line, and says if it solves the problem. The record is ok.
  std::function<Best(const petri::Record&)> describe;
  std::string formula_name;  // "f(x) ="
  // Further lines about the best one when all is over.
  std::function<std::vector<std::string>(const Tree& tree, const petri::Record& record)> epilogue = {};
};

// Each generation is bred from the last; its best tree lives on. Of equal scores the smaller tree wins, and no tree is
// bred twice in one generation as long as random choice allows. A population that is stuck gives way to a random one.
class TreeProblem : public Problem {
 public:
  TreeProblem(TreeTask task, std::uint64_t seed);

  std::string title() const override { return task_.title; }
  const Judging& judging() const override { return task_.judging; }
  std::vector<Child> ask() override;
  void tell(std::span<const petri::Record> records) override;
  const Best* best() const override { return best_ ? &best_->best : nullptr; }
  std::vector<std::string> picture() const override;
  std::vector<std::string> epilogue() const override;

 private:
  struct Individual {
    Tree tree;
    double score = 0;
    petri::ArtifactId artifact;
  };
  struct Bred {
    Tree tree;
    std::vector<petri::ArtifactId> parents;
    std::string mutation;
  };
  struct BestTree {
    Tree tree;
    petri::Record record;
    Best best;
  };

  bool wins(const Individual& one, const Individual& other) const;
  const Individual* elite() const;
  const Individual& select();
  Bred breed(std::size_t index);
  Bred breed_first(std::size_t index);
  bool fits(const Tree& tree) const;
  std::vector<std::uint8_t> wasm_of(const Tree& tree);
  void note_best(const Tree& tree, const petri::Record& record);

  TreeTask task_;
  Random random_;
  petri::WasmBuilder builder_;
  std::vector<Individual> population_;
  std::size_t generations_stuck_ = 0;
  std::vector<Tree> bred_;  // the trees of the generation that was asked for
  std::optional<BestTree> best_;
};

}  // namespace evolve
