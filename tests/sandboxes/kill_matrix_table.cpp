// The kill matrix as lines of a page.
#include <fmt/format.h>

#include "kill_matrix.h"

namespace petri {
namespace {

std::string or_dash(std::string_view text) { return text.empty() ? "–" : std::string(text); }

}  // namespace

std::string_view section_of(const KillRow& row) {
  if (!row.on_limit.empty()) return "The same limits with `on_limit: kill`";
  return row.ends ? "What ends a guest" : "What is refused or cut";
}

// The common part of a row is in its first line.
std::string table_line(const KillRow& row, KillPlace place, const KillVerdict& verdict) {
  const bool first = place == row.places.front();
  return fmt::format("| {} | {} | {} | {} | {} | {} |", first ? fmt::format("`{}`", row.limit) : "",
                     first ? row.what : "", name_of(place),
                     verdict.verdict.empty() ? "–" : fmt::format("`{}`", verdict.verdict), or_dash(verdict.events),
                     verdict.after);
}

}  // namespace petri
