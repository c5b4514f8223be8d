// The search for a rule that packs items into bins as they come.
#pragma once

#include <optional>

#include "evolve/packing_instances.h"
#include "evolve/tree_problem.h"

namespace evolve {

struct PackingSets {
  std::string title;
  Instances training;
  std::optional<Instances> unseen;  // what the best rule is tried on at the end
};
// Both drawn from the seed.
PackingSets packing_sets(const InstancesSpec& spec, std::uint64_t seed);

// The score is petri's own: squared bins above the bound, summed. It is solved when no instance needs one more.
TreeTask bin_packing(const PackingSets& sets);

}  // namespace evolve
