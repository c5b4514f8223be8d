#include "cli/population/population_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/escape.h"

namespace petri::cli {
namespace {

constexpr std::string_view kNameOfNew = "main";

std::string population_names(const std::vector<PopulationSummary>& all) {
  std::string names;
  for (const PopulationSummary& one : all) names += (names.empty() ? "" : ", ") + in_quotes(one.name);
  return names.empty() ? "none" : names;
}

}  // namespace

Result<Population> choose_population(const Populations& populations, const std::string& file, const std::string& name,
                                     bool may_be_new) {
  PETRI_TRY(const auto all, populations.list());
  const bool is_there = std::ranges::find(all, name, &PopulationSummary::name) != all.end();
  if (!name.empty() && (may_be_new || is_there)) return populations.population(name);
  if (!name.empty()) {
    return fail(ErrorCode::not_found, fmt::format("{} has no population {}; it has {}", escape_text(file),
                                                  in_quotes(name), population_names(all)));
  }
  if (all.size() == 1) return populations.population(all.front().name);
  if (all.empty()) return populations.population(kNameOfNew);
  return fail(ErrorCode::validation_failed, fmt::format("{} has {} populations, {}; choose one with --name",
                                                        escape_text(file), all.size(), population_names(all)));
}

}  // namespace petri::cli
