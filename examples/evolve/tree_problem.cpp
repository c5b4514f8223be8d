#include "evolve/tree_problem.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace evolve {
namespace {

constexpr std::size_t kBreedTries = 8;
constexpr double kCrossover = 0.8;
constexpr double kNewBranch = 0.5;  // of what is no crossover
constexpr double kNewNode = 0.8;    // of the rest

// Trees in the order of their nodes, so that equal ones are found.
struct TreeOrder {
  bool operator()(const Tree& one, const Tree& other) const {
    return std::ranges::lexicographical_compare(one, other, [](const Node& a, const Node& b) {
      return a.primitive != b.primitive ? a.primitive < b.primitive : a.value < b.value;
    });
  }
};

double score_of(const petri::Record& record) {
  const bool counts = record.score && !std::isnan(*record.score);
  return counts ? *record.score : HUGE_VAL;
}

}  // namespace

TreeProblem::TreeProblem(TreeTask task, std::uint64_t seed) : task_(std::move(task)), random_(seed) {}

bool TreeProblem::wins(const Individual& one, const Individual& other) const {
  if (one.score != other.score) return one.score < other.score;
  return one.tree.size() < other.tree.size();
}

const TreeProblem::Individual& TreeProblem::select() {
  const Individual* winner = &population_[random_.below(population_.size())];
  for (std::size_t i = 1; i < task_.population.tournament; ++i) {
    const Individual& rival = population_[random_.below(population_.size())];
    if (wins(rival, *winner)) winner = &rival;
  }
  return *winner;
}

// Ramped half and half: depths from two on, every other tree full.
TreeProblem::Bred TreeProblem::breed_first(std::size_t index) {
  const std::size_t depths = task_.population.first_depth_max - 1;
  const TreeShape shape{.depth_max = 2 + index / 2 % depths, .full = index % 2 == 0};
  return {.tree = random_tree(task_.language, shape, random_), .parents = {}, .mutation = "random"};
}

TreeProblem::Bred TreeProblem::breed(std::size_t index) {
  if (population_.empty()) return breed_first(index);
  const Individual& mother = select();
  if (random_.happens(kCrossover)) {
    const Individual& father = select();
    return {
        crossed(mother.tree, father.tree, task_.language, random_), {mother.artifact, father.artifact}, "crossover"};
  }
  if (random_.happens(kNewBranch)) {
    return {with_new_branch(mother.tree, task_.language, random_), {mother.artifact}, "new branch"};
  }
  if (random_.happens(kNewNode)) {
    return {with_new_node(mother.tree, task_.language, random_), {mother.artifact}, "new node"};
  }
  return {branch_of(mother.tree, task_.language, random_), {mother.artifact}, "branch alone"};
}

bool TreeProblem::fits(const Tree& tree) const {
  return tree.size() <= task_.population.nodes_max && depth(tree, task_.language) <= task_.population.depth_max;
}

std::vector<Child> TreeProblem::ask() {
  std::set<Tree, TreeOrder> known;
  for (const Individual& individual : population_) known.insert(individual.tree);
  std::vector<Child> children;
  bred_.clear();
  while (bred_.size() < task_.population.size) {
    Bred bred = breed(bred_.size());
    for (std::size_t i = 1; i < kBreedTries && (!fits(bred.tree) || known.contains(bred.tree)); ++i) {
      bred = breed(bred_.size());
    }
    if (!fits(bred.tree)) continue;
    known.insert(bred.tree);
    children.push_back({wasm_of(bred.tree), std::move(bred.parents), std::move(bred.mutation)});
    bred_.push_back(std::move(bred.tree));
  }
  return children;
}

std::vector<std::uint8_t> TreeProblem::wasm_of(const Tree& tree) {
  builder_.clear();
  task_.emit(tree, builder_);
  return builder_.build().value();
}

const TreeProblem::Individual* TreeProblem::elite() const {
  if (population_.empty()) return nullptr;
  return &*std::ranges::min_element(population_, [&](const auto& a, const auto& b) { return wins(a, b); });
}

void TreeProblem::tell(std::span<const petri::Record> records) {
  const Individual* before = elite();
  const double score_before = before != nullptr ? before->score : HUGE_VAL;
  std::vector<Individual> next;
  if (before != nullptr) next.push_back(*before);
  for (std::size_t row = 0; row < records.size(); ++row) {
    if (!records[row].artifact) continue;
    note_best(bred_[row], records[row]);
    next.push_back({std::move(bred_[row]), score_of(records[row]), *records[row].artifact});
  }
  population_ = std::move(next);
  const bool better = elite() != nullptr && elite()->score < score_before;
  generations_stuck_ = better ? 0 : generations_stuck_ + 1;
  if (generations_stuck_ >= task_.population.patience) population_.clear();
}

void TreeProblem::note_best(const Tree& tree, const petri::Record& record) {
  const double score = score_of(record);
  if (score == HUGE_VAL || (best_ && score >= best_->best.score)) return;
  best_ = {.tree = tree, .record = record, .best = task_.describe(record)};
}

std::vector<std::string> TreeProblem::picture() const {
  if (!best_) return {};
  return {task_.formula_name + " " + to_text(best_->tree, task_.language)};
}

std::vector<std::string> TreeProblem::epilogue() const {
  if (!best_ || !task_.epilogue) return {};
  return task_.epilogue(best_->tree, best_->record);
}

}  // namespace evolve
