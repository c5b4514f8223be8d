// Where instances of bin packing come from: formulas, or a file.
#pragma once

#include <petri/result.h>

#include <string>
#include <string_view>

#include "evolve/packing.h"
#include "evolve/random.h"

namespace evolve {

// weibull: shape 3, scale 45, bins of 100. uniform: 20 to 100, bins of 150.
enum class ItemSizes : std::uint8_t { weibull, uniform };
std::string_view name_of(ItemSizes sizes);

struct InstancesSpec {
  ItemSizes sizes = ItemSizes::weibull;
  std::size_t count = 5;
  std::size_t items = 500;
};
Instances make_instances(const InstancesSpec& spec, Random& random);

constexpr std::size_t kCapacityMax = 10'000;
constexpr std::size_t kItemsMax = 100'000;
// {"capacity": 100, "items": [[31, 42, ...], ...]}: integers from 1 to the capacity. `name` is for errors.
petri::Result<Instances> parse_instances(std::string_view json, std::string_view name);
petri::Result<Instances> read_instances(const std::string& path);

}  // namespace evolve
