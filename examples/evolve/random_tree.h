// Random trees: makes them, mixes them, changes them.
#pragma once

#include "evolve/random.h"
#include "evolve/tree.h"

namespace evolve {

struct TreeShape {
  std::size_t depth_max = 6;
  bool full = false;  // every branch as deep as it may be; else they end at random
};
Tree random_tree(const Language& language, TreeShape shape, Random& random);

// The mother with one of her subtrees taken from the father.
Tree crossed(const Tree& mother, const Tree& father, const Language& language, Random& random);
// With a subtree made anew.
Tree with_new_branch(const Tree& tree, const Language& language, Random& random);
// With one node replaced by another of as many operands; a constant may also just move a little.
Tree with_new_node(const Tree& tree, const Language& language, Random& random);
// One of its own subtrees.
Tree branch_of(const Tree& tree, const Language& language, Random& random);

}  // namespace evolve
