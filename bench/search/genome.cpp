#include "bench/search/genome.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "bench/search/snippets.h"

namespace petri::bench {
namespace {

std::uint32_t most_of(std::string_view bound_name) { return static_cast<std::uint32_t>(bound(bound_name)); }

std::array<DimensionInfo, kDimensions> make_dimensions() {
  const auto snippets = static_cast<std::uint32_t>(snippet_names().size() - 1);
  return {{{"types", 1, most_of("types") - 16},
           {"params", 0, most_of("parameters")},
           {"results", 0, most_of("results")},
           {"values", 1, std::min(most_of("parameters"), most_of("results"))},
           {"locals", 0, most_of("locals") - 8},
           {"local_groups", 0, 1},
           {"uses_locals", 0, 1},
           {"nesting", 0, most_of("nesting") - 8},
           {"nesting_kind", 0, 2},
           {"operands", 0, most_of("operands") - 80},
           {"targets", 1, most_of("branch_targets") - 8},
           {"body_bytes", 8, most_of("body_bytes")},
           {"place", 0, 3},
           {"globals", 1, most_of("globals")},
           {"exports", 0, most_of("exports") - 8},
           {"name_bytes", 8, most_of("name_bytes")},
           {"imports", 0, most_of("imports")},
           {"element_segments", 0, most_of("element_segments") - 8},
           {"elements", 0, most_of("elements") / 2},
           {"element_kind", 0, 1},
           {"data_segments", 0, most_of("data_segments")},
           {"constant_operators", 1, most_of("constant_operators")},
           {"custom_sections", 0, 4'096},
           {"filler", 0, 1},
           {"first", 0, snippets},
           {"second", 0, snippets},
           {"third", 0, snippets}}};
}

bool is_snippet(std::size_t dimension) { return dimension >= static_cast<std::size_t>(Dimension::first); }

std::optional<std::uint32_t> number_of(std::size_t dimension, std::string_view word) {
  if (is_snippet(dimension)) {
    const auto& names = snippet_names();
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) return std::nullopt;
    return static_cast<std::uint32_t>(found - names.begin());
  }
  std::uint32_t number = 0;
  const auto end = word.data() + word.size();
  const auto read = std::from_chars(word.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

Result<void> read_word(std::string_view word, Genome& genome) {
  const std::size_t equals = word.find('=');
  const auto& all = dimensions();
  for (std::size_t i = 0; i < kDimensions && equals != std::string_view::npos; ++i) {
    if (all[i].name != word.substr(0, equals)) continue;
    const auto number = number_of(i, word.substr(equals + 1));
    if (!number) break;
    genome.set(static_cast<Dimension>(i), *number);
    return {};
  }
  return fail(ErrorCode::validation_failed,
              fmt::format("\"{}\" is not a dimension and its number, as in locals=64", word));
}

}  // namespace

const std::array<DimensionInfo, kDimensions>& dimensions() {
  static const auto all = make_dimensions();
  return all;
}

Genome::Genome() {
  for (std::size_t i = 0; i < kDimensions; ++i) numbers_[i] = dimensions()[i].least;
  set(Dimension::body_bytes, UINT32_MAX);
}

void Genome::set(Dimension dimension, std::uint32_t number) {
  const DimensionInfo& info = dimensions()[static_cast<std::size_t>(dimension)];
  numbers_[static_cast<std::size_t>(dimension)] = std::clamp(number, info.least, info.most);
}

std::string Genome::text() const {
  std::string text;
  for (std::size_t i = 0; i < kDimensions; ++i) {
    if (numbers_[i] == Genome().numbers_[i]) continue;
    text += fmt::format("{}{}=", text.empty() ? "" : " ", dimensions()[i].name);
    text += is_snippet(i) ? std::string(snippet_names()[numbers_[i]]) : std::to_string(numbers_[i]);
  }
  return text;
}

Result<Genome> Genome::from_text(std::string_view text) {
  Genome genome;
  while (!text.empty()) {
    const std::size_t space = std::min(text.find(' '), text.size());
    if (space > 0) PETRI_TRY(read_word(text.substr(0, space), genome));
    text.remove_prefix(std::min(space + 1, text.size()));
  }
  return genome;
}

}  // namespace petri::bench
