#include "evolve/packing_instances.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

namespace evolve {
namespace {

using Json = nlohmann::json;

std::uint16_t weibull_item(std::uint16_t capacity, Random& random) {
  constexpr double kShape = 3;
  constexpr double kScale = 45;
  const double size = kScale * std::pow(-std::log1p(-random.unit()), 1 / kShape);
  return static_cast<std::uint16_t>(std::clamp(std::round(size), 1.0, static_cast<double>(capacity)));
}

std::uint16_t uniform_item(Random& random) { return static_cast<std::uint16_t>(20 + random.below(81)); }

std::unexpected<petri::Error> refuse(std::string_view name, std::string_view what) {
  return petri::fail(petri::ErrorCode::validation_failed,
                     fmt::format("{}: {}; expected {{\"capacity\": 100, \"items\": [[31, 42], [7]]}}", name, what));
}

bool is_whole(const Json& number, std::size_t from, std::size_t to) {
  return number.is_number_unsigned() && number >= from && number <= to;
}

petri::Result<Items> parse_items(const Json& list, std::size_t which, std::uint16_t capacity, std::string_view name) {
  if (!list.is_array() || list.empty() || list.size() > kItemsMax) {
    return refuse(name, fmt::format("items[{}] is not a list of 1 to {} numbers", which, kItemsMax));
  }
  Items items;
  for (const Json& item : list) {
    if (!is_whole(item, 1, capacity)) {
      return refuse(name, fmt::format("items[{}][{}] is {}, not a whole number from 1 to the capacity, {}", which,
                                      items.size(), item.dump(), capacity));
    }
    items.push_back(item.get<std::uint16_t>());
  }
  return items;
}

}  // namespace

std::string_view name_of(ItemSizes sizes) { return sizes == ItemSizes::weibull ? "weibull" : "uniform"; }

Instances make_instances(const InstancesSpec& spec, Random& random) {
  const bool weibull = spec.sizes == ItemSizes::weibull;
  Instances instances{.capacity = static_cast<std::uint16_t>(weibull ? 100 : 150),
                      .all = std::vector<Items>(spec.count, Items(spec.items))};
  for (Items& items : instances.all) {
    for (std::uint16_t& item : items) {
      item = weibull ? weibull_item(instances.capacity, random) : uniform_item(random);
    }
  }
  return instances;
}

petri::Result<Instances> parse_instances(std::string_view json, std::string_view name) {
  const Json root = Json::parse(json, nullptr, false);
  if (root.is_discarded()) return refuse(name, "is not JSON");
  if (!root.is_object() || !root.contains("capacity") || !is_whole(root["capacity"], 1, kCapacityMax)) {
    return refuse(name, fmt::format("has no \"capacity\" that is a whole number from 1 to {}", kCapacityMax));
  }
  if (!root.contains("items") || !root["items"].is_array() || root["items"].empty()) {
    return refuse(name, "has no \"items\" that are a list of lists");
  }
  Instances instances{.capacity = root["capacity"].get<std::uint16_t>(), .all = {}};
  for (const Json& list : root["items"]) {
    PETRI_TRY(auto items, parse_items(list, instances.all.size(), instances.capacity, name));
    instances.all.push_back(std::move(items));
  }
  return instances;
}

petri::Result<Instances> read_instances(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return petri::fail(petri::ErrorCode::validation_failed, fmt::format("{} is a folder; give a file", path));
  }
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) return petri::fail(petri::ErrorCode::not_found, fmt::format("{} cannot be read; is it there?", path));
  return parse_instances(text, path);
}

}  // namespace evolve
