#include "report/lineage.h"

#include <algorithm>

#include "base/text/byte_text.h"
#include "evaluation/records/parse.h"
#include "report/backward_lines.h"

namespace petri {
namespace {

// Finds the artifact of a records line without parsing all of it: most lines are nobody's ancestor.
std::optional<ArtifactId> artifact_in(std::string_view line) {
  constexpr std::string_view kKey = "\"artifact\":\"";
  const std::size_t key = line.find(kKey);
  if (key == std::string_view::npos) return std::nullopt;
  return ArtifactId::from_hex(line.substr(key + kKey.size(), 2 * sizeof(ArtifactId)));
}

bool gives_way(const ArtifactId& artifact, const Origin& origin, std::optional<std::uint64_t> child_generation) {
  const bool is_copy = std::find(origin.parents.begin(), origin.parents.end(), artifact) != origin.parents.end();
  return is_copy || (child_generation && origin.generation && *origin.generation >= *child_generation);
}

// The parent with the better score; of equals the one with the later record.
std::optional<std::size_t> better_parent(const std::vector<Ancestor>& ancestors, std::size_t child, BestScore best) {
  std::optional<std::size_t> chosen;
  for (const std::size_t parent : ancestors[child].parents) {
    const bool better = !chosen || is_better(ancestors[parent].score, ancestors[*chosen].score, best);
    const bool worse = chosen && is_better(ancestors[*chosen].score, ancestors[parent].score, best);
    if (better || (!worse && ancestors[parent].row > ancestors[*chosen].row)) chosen = parent;
  }
  return chosen;
}

}  // namespace

LineageSearch::LineageSearch(const ArtifactId& candidate, std::size_t row, std::size_t ancestors_max)
    : row_(row), ancestors_max_(ancestors_max) {
  wanted_[candidate] = {};
}

void LineageSearch::want(const ArtifactId& artifact, std::size_t child) {
  const auto found = wanted_.find(artifact);
  if (found == wanted_.end() && lineage_.ancestors.size() + wanted_.size() >= ancestors_max_) {
    lineage_.cut = true;
    return;
  }
  Wanted& wanted = wanted_[artifact];
  const auto generation = lineage_.ancestors[child].generation;
  if (generation) wanted.generation = std::min(wanted.generation.value_or(*generation), *generation);
  if (wanted.place) {
    lineage_.ancestors[child].parents.push_back(*wanted.place);
  } else {
    wanted.children.push_back(child);
  }
}

std::size_t LineageSearch::place_for(Wanted& wanted) {
  if (wanted.place) return *wanted.place;
  wanted.place = lineage_.ancestors.size();
  lineage_.ancestors.emplace_back();
  for (const std::size_t child : wanted.children) lineage_.ancestors[child].parents.push_back(*wanted.place);
  wanted.children.clear();
  return *wanted.place;
}

void LineageSearch::add(const Record& record, const std::optional<Origin>& origin) {
  const auto found = record.artifact ? wanted_.find(*record.artifact) : wanted_.end();
  const bool too_late = lineage_.ancestors.empty() && record.row != row_;
  if (found == wanted_.end() || too_late) return;
  const Origin known = origin.value_or(Origin{});
  const std::size_t place = place_for(found->second);
  lineage_.ancestors[place] = {.artifact = *record.artifact,
                               .row = record.row,
                               .score = record.score,
                               .generation = known.generation,
                               .name = known.name,
                               .mutation = known.mutation,
                               .parents = {},
                               .unknown_parents = {}};
  if (gives_way(*record.artifact, known, found->second.generation)) return;
  wanted_.erase(found);
  for (const ArtifactId& parent : known.parents) want(parent, place);
}

Lineage LineageSearch::finish(BestScore best) && {
  for (const auto& [artifact, wanted] : wanted_) {
    for (const std::size_t child : wanted.children) lineage_.ancestors[child].unknown_parents.push_back(artifact);
  }
  if (lineage_.ancestors.empty()) return std::move(lineage_);
  std::optional<std::size_t> next = 0;
  for (; next; next = better_parent(lineage_.ancestors, *next, best)) lineage_.line.push_back(*next);
  return std::move(lineage_);
}

Result<Lineage> find_lineage(const std::string& records_path, const RecordsHeader& header, const ArtifactId& candidate,
                             std::size_t row, BestScore best) {
  PETRI_TRY(const auto lines, BackwardLines::open(records_path, kRecordsLineBytesMax));
  LineageSearch search(candidate, row);
  while (!search.done()) {
    PETRI_TRY(const auto line, lines->next());
    if (!line) break;
    const auto artifact = artifact_in(*line);
    if (!artifact || !search.is_wanted(*artifact)) continue;
    const auto parsed = parse_record(*line, header);
    if (parsed) search.add(parsed->stored.record, parsed->stored.origin);
  }
  return std::move(search).finish(best);
}

}  // namespace petri
