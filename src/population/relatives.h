// Walks through parents and children. Cycles cannot be added, but a file can be forged: each relative is visited once.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "population/population_store.h"

namespace petri {

enum class WalkDirection : std::uint8_t { parents, children };

// Nearest first; starts with the individual itself, which has to be there.
Result<std::vector<Relative>> walk(PopulationReader& reader, std::string_view id, WalkDirection direction,
                                   const WalkOptions& options);

// The common ancestor of two walks to the parents; nullopt if they have none that is there.
std::optional<Individual> nearest_common(const std::vector<Relative>& first, const std::vector<Relative>& second);

}  // namespace petri
