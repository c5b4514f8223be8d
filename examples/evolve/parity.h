// Even parity: true when an even number of inputs are. Small to say, and hard to find with and, or, nand and nor.
#pragma once

#include "evolve/tree_problem.h"

namespace evolve {

constexpr std::size_t kParityInputsMin = 3;
constexpr std::size_t kParityInputsMax = 6;

// One call computes the whole truth table: bit i of a word is what row i has.
TreeTask even_parity(std::size_t inputs);

}  // namespace evolve
