// Bits that describe a module, in words for people.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace petri {

// The names in ModuleFacts::features: the accepted additions to the MVP that a module uses.
std::vector<std::string> feature_names(std::uint32_t bits);

// The reasons in ModuleFacts::not_movable: why a live instance cannot be moved, copied or saved.
std::vector<std::string> movability_reasons(std::uint32_t bits);

}  // namespace petri
