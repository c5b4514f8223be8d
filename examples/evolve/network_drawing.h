// A sorting network as one draws it: lines from left to right, comparators across them.
#pragma once

#include <string>
#include <vector>

#include "evolve/network.h"

namespace evolve {

// In UTF-8: a row for each line and one between two of them, all of the same width. The smallest value comes out on
// top.
std::vector<std::string> draw(const Network& network, std::size_t inputs);

}  // namespace evolve
