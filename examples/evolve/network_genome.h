// How sorting networks are written for evolution, and their random changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "evolve/network.h"
#include "evolve/random.h"

namespace evolve {

// A comparator, alone or together with its mirror image. Many good networks look the same upside down; a gene that can
// say so finds them in a fifth of the time.
struct Gene {
  Comparator comparator;
  bool mirrored = false;
};
using NetworkGenome = std::vector<Gene>;

NetworkGenome random_genome(std::size_t inputs, Random& random);
Network express(const NetworkGenome& genome, std::size_t inputs);

enum class NetworkMutation : std::uint8_t { insert, remove, replace, rewire, swap, move, mirror };
std::string_view name_of(NetworkMutation mutation);
void mutate(NetworkGenome& genome, NetworkMutation mutation, std::size_t inputs, Random& random);
// One or a few random mutations; returns what was done, "insert+swap".
std::string mutate_at_random(NetworkGenome& genome, std::size_t inputs, Random& random);

}  // namespace evolve
