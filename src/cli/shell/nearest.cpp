#include "cli/shell/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace petri::cli {
namespace {

constexpr std::size_t kComparedBytesMax = 40;

// How many characters have to be added, taken away or replaced.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (const char c : from) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (c == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({row[j] + 1, diagonal + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view word, const std::vector<std::string_view>& names) {
  if (word.empty() || word.size() > kComparedBytesMax) return std::nullopt;
  std::optional<std::string_view> nearest;
  std::size_t fewest = word.size() / 3 + 2;  // one change in a short word, more in a long one
  for (const std::string_view name : names) {
    const std::size_t changes = distance(word, name);
    if (changes >= fewest) continue;
    fewest = changes;
    nearest = name;
  }
  return nearest;
}

std::vector<std::string_view> nearest_names(std::string_view word, std::vector<std::string_view> names,
                                            std::size_t count) {
  word = word.substr(0, kComparedBytesMax);
  const auto changes = [word](std::string_view name) {
    return !word.empty() && name.find(word) != std::string_view::npos ? 0 : distance(word, name);
  };
  std::ranges::stable_sort(names, {}, changes);
  names.resize(std::min(count, names.size()));
  return names;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& names) {
  const auto nearest = nearest_name(word, names);
  return nearest ? fmt::format("; did you mean {}?", *nearest) : "";
}

}  // namespace petri::cli
