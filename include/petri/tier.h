// The two engines that can run the code.
#pragma once

#include <optional>
#include <string_view>

namespace petri {

enum class Tier { interpreted, compiled, automatic };
std::string_view name_of(Tier tier);
std::optional<Tier> tier_named(std::string_view name);

}  // namespace petri
