#include "evolve/random_tree.h"

#include <algorithm>

namespace evolve {
namespace {

constexpr std::size_t kNewBranchDepth = 4;
constexpr double kInnerNode = 0.9;  // a crossover prefers nodes with operands, as Koza's does
constexpr double kNudge = 0.5;      // a constant is moved rather than replaced
constexpr double kEndEarly = 0.3;   // a branch of a tree that is not full

Node node_of(std::size_t primitive, const Language& language, Random& random) {
  const auto& make_constant = language.primitives[primitive].make_constant;
  return {.primitive = static_cast<std::uint16_t>(primitive), .value = make_constant ? make_constant(random) : 0};
}

void grow(Tree& tree, const Language& language, TreeShape shape, Random& random) {
  const bool ends = shape.depth_max <= 1 || (!shape.full && !tree.empty() && random.happens(kEndEarly));
  const std::size_t functions = language.primitives.size() - language.leaves;
  const std::size_t primitive = ends ? random.below(language.leaves) : language.leaves + random.below(functions);
  tree.push_back(node_of(primitive, language, random));
  --shape.depth_max;
  for (std::size_t i = 0; i < language.primitives[primitive].arity; ++i) grow(tree, language, shape, random);
}

// Where a subtree starts.
std::size_t pick_branch(const Tree& tree, const Language& language, Random& random) {
  std::size_t place = random.below(tree.size());
  if (tree.size() == 1 || !random.happens(kInnerNode)) return place;
  while (language.of(tree[place]).arity == 0) place = random.below(tree.size());
  return place;
}

struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

Tree replaced(const Tree& tree, Range range, std::span<const Node> by) {
  Tree result;
  result.reserve(tree.size() - (range.end - range.begin) + by.size());
  const auto at = [&](std::size_t place) { return tree.begin() + static_cast<std::ptrdiff_t>(place); };
  result.insert(result.end(), tree.begin(), at(range.begin));
  result.insert(result.end(), by.begin(), by.end());
  result.insert(result.end(), at(range.end), tree.end());
  return result;
}

Range random_branch(const Tree& tree, const Language& language, Random& random) {
  const std::size_t begin = pick_branch(tree, language, random);
  return {.begin = begin, .end = subtree_end(tree, begin, language)};
}

std::span<const Node> nodes_in(const Tree& tree, Range range) {
  return std::span(tree).subspan(range.begin, range.end - range.begin);
}

}  // namespace

Tree random_tree(const Language& language, TreeShape shape, Random& random) {
  Tree tree;
  grow(tree, language, shape, random);
  return tree;
}

Tree crossed(const Tree& mother, const Tree& father, const Language& language, Random& random) {
  const Range given = random_branch(father, language, random);
  return replaced(mother, random_branch(mother, language, random), nodes_in(father, given));
}

Tree with_new_branch(const Tree& tree, const Language& language, Random& random) {
  const Tree branch = random_tree(language, {.depth_max = 1 + random.below(kNewBranchDepth)}, random);
  return replaced(tree, random_branch(tree, language, random), branch);
}

Tree with_new_node(const Tree& tree, const Language& language, Random& random) {
  Tree changed = tree;
  Node& node = changed[random.below(changed.size())];
  const Primitive& before = language.of(node);
  if (before.make_constant && random.happens(kNudge)) {
    node.value += before.make_constant(random) / 10;
    return changed;
  }
  std::vector<std::size_t> choices;
  for (std::size_t i = 0; i < language.primitives.size(); ++i) {
    if (language.primitives[i].arity == before.arity) choices.push_back(i);
  }
  node = node_of(random.pick<std::size_t>(choices), language, random);
  return changed;
}

Tree branch_of(const Tree& tree, const Language& language, Random& random) {
  const auto branch = nodes_in(tree, random_branch(tree, language, random));
  return {branch.begin(), branch.end()};
}

}  // namespace evolve
