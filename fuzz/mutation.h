// Random changes to an input, small and odd.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace petri::fuzz {

// One of the seeds after some changes: bits flipped, bytes replaced, inserted, repeated, removed, parts of another seed
// put in.
std::string mutated(const std::vector<std::string>& seeds, std::mt19937_64& random);

}  // namespace petri::fuzz
