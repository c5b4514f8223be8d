#include "cli/nearest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace petri::cli {
namespace {

constexpr std::size_t kComparedBytesMax = 40;

// How many characters have to be added, taken away, replaced or exchanged with the next.
std::size_t distance(std::string_view from, std::string_view to) {
  std::vector<std::size_t> two_before, before(to.size() + 1), row(to.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < from.size(); ++i) {
    two_before = std::exchange(before, row);
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      row[j + 1] = std::min({row[j] + 1, before[j + 1] + 1, before[j] + (from[i] == to[j] ? 0 : 1)});
      const bool exchanged = i > 0 && j > 0 && from[i] == to[j - 1] && from[i - 1] == to[j];
      if (exchanged) row[j + 1] = std::min(row[j + 1], two_before[j - 1] + 1);
    }
  }
  return row.back();
}

bool is_anagram(std::string_view a, std::string_view b) { return std::ranges::is_permutation(a, b); }

}  // namespace

std::optional<std::string_view> nearest_name(std::string_view word, const std::vector<std::string_view>& names) {
  const bool option = word.starts_with("--");
  if (option) word.remove_prefix(2);
  if (word.empty() || word.size() > kComparedBytesMax) return std::nullopt;
  std::optional<std::string_view> nearest;
  std::size_t fewest = word.size() / 3 + 2;  // one change in a short word, more in a long one
  for (const std::string_view full : names) {
    if (option != full.starts_with("--")) continue;
    const std::string_view name = option ? full.substr(2) : full;
    const std::size_t changes = distance(word, name);
    const bool other_word = 2 * changes >= std::max(word.size(), name.size()) && !is_anagram(word, name);
    if (changes >= fewest || other_word) continue;
    fewest = changes;
    nearest = full;
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
