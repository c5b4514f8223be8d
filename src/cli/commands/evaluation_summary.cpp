#include "cli/commands/evaluation_summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri::cli {
namespace {

constexpr std::size_t kRowNameBytesMax = 200;

std::uint64_t add_up(std::uint64_t sum, std::uint64_t more) {
  return more > std::numeric_limits<std::uint64_t>::max() - sum ? std::numeric_limits<std::uint64_t>::max()
                                                                : sum + more;
}

void add(EvaluationCounts& sum, const EvaluationCounts& counts) {
  sum.rows += counts.rows;
  sum.evaluated += counts.evaluated;
  sum.repeated += counts.repeated;
  sum.cache_hits += counts.cache_hits;
  sum.cancelled += counts.cancelled;
  sum.promoted += counts.promoted;
}

bool is_better(const BestRow& a, const BestRow& b) {
  return std::tie(a.score, a.fuel_used, a.row) < std::tie(b.score, b.fuel_used, b.row);
}

// Keeps the list sorted and no longer than that. A candidate that an earlier batch had is in it already.
void keep_best(std::vector<BestRow>& best, BestRow row, std::size_t best_max) {
  if (std::ranges::find(best, row.artifact, &BestRow::artifact) != best.end()) return;
  best.insert(std::ranges::upper_bound(best, row, is_better), std::move(row));
  if (best.size() > best_max) best.pop_back();
}

bool may_be_best(const Record& record) {
  return record.score && !std::isnan(*record.score) && record.artifact && !record.repeats_row;
}

void add_record(EvaluationSummary& summary, const Record& record) {
  if (record.outcome) ++summary.outcomes[static_cast<std::size_t>(*record.outcome)];
  if (record.error && record.error != ErrorCode::cancelled) ++summary.errors[*record.error];
  summary.fuel_used = add_up(summary.fuel_used, record.fuel_used);
  if (record.score) summary.scored = true;
}

using Counted = std::vector<std::pair<std::string_view, std::size_t>>;

Counted outcomes_of(const EvaluationSummary& summary) {
  Counted rows;
  for (std::size_t kind = 0; kind < summary.outcomes.size(); ++kind) {
    if (summary.outcomes[kind] > 0) rows.emplace_back(name_of(static_cast<OutcomeKind>(kind)), summary.outcomes[kind]);
  }
  return rows;
}

Counted errors_of(const EvaluationSummary& summary) {
  Counted rows;
  for (const auto& [code, count] : summary.errors) rows.emplace_back(name_of(code), count);
  return rows;
}

std::string lines_of(const Counted& rows, std::string_view mark) {
  std::string text;
  for (const auto& [name, count] : rows) text += fmt::format("  {:<20}{:>12}{}\n", name, format_count(count), mark);
  return text;
}

std::string first_line(const EvaluationSummary& summary) {
  const std::size_t done = summary.counts.done();
  const std::string of = done == summary.candidates ? "" : fmt::format(" of {}", format_count(summary.candidates));
  return fmt::format("{}{} candidate{} in {}, {} a second\n", format_count(done), of,
                     summary.candidates == 1 ? "" : "s", format_duration(summary.wall_time),
                     format_count(static_cast<std::uint64_t>(std::llround(summary.per_second()))));
}

std::string counts_line(const EvaluationSummary& summary) {
  const EvaluationCounts& counts = summary.counts;
  return fmt::format("evaluated {}, repeated {}, from the cache {}, promoted {}; fuel {}\n",
                     format_count(counts.evaluated), format_count(counts.repeated), format_count(counts.cache_hits),
                     format_count(counts.promoted), format_count(summary.fuel_used));
}

std::string best_lines(const EvaluationSummary& summary) {
  if (!summary.scored) return "";
  if (summary.best.empty()) return "no candidate has a score that is a number\n";
  std::string text = fmt::format("{:<24}{:>10}{:>16}  candidate\n", "best by score", "row", "fuel");
  for (const BestRow& row : summary.best) {
    text += fmt::format("  {:<22}{:>10}{:>16}  {}\n", to_text(Value(row.score)), row.row, format_count(row.fuel_used),
                        escape_text(row.name, kRowNameBytesMax));
  }
  return text;
}

Json object_of(const Counted& rows) {
  Json object = Json::object();
  for (const auto& [name, count] : rows) object[std::string(name)] = count;
  return object;
}

Json best_of(const EvaluationSummary& summary) {
  Json rows = Json::array();
  for (const BestRow& row : summary.best) {
    rows.push_back({{"row", row.row},
                    {"score", to_json(Value(row.score))},
                    {"fuel_used", row.fuel_used},
                    {"artifact", row.artifact.hex()},
                    {"name", row.name}});
  }
  return rows;
}

}  // namespace

double EvaluationSummary::per_second() const {
  const double seconds = std::chrono::duration<double>(wall_time).count();
  return seconds <= 0 ? 0 : static_cast<double>(counts.done()) / seconds;
}

void add(EvaluationSummary& summary, const Evaluation& evaluation, std::span<const std::string> names,
         std::size_t best_max) {
  const std::size_t row_base = summary.counts.rows;
  for (const Record& record : evaluation.records) {
    add_record(summary, record);
    if (!may_be_best(record)) continue;
    keep_best(summary.best,
              {.row = row_base + record.row,
               .score = *record.score,
               .fuel_used = record.fuel_used,
               .artifact = *record.artifact,
               .name = names[record.row]},
              best_max);
  }
  add(summary.counts, evaluation.counts);
  summary.wall_time += evaluation.wall_time;
}

std::string to_text(const EvaluationSummary& summary) {
  std::string text = first_line(summary);
  text += lines_of(outcomes_of(summary), "");
  text += lines_of(errors_of(summary), "  error");
  text += counts_line(summary);
  if (summary.ignored_files > 0) {
    text += fmt::format("ignored {} other file{} in the folders\n", format_count(summary.ignored_files),
                        summary.ignored_files == 1 ? "" : "s");
  }
  return text + best_lines(summary);
}

Json to_json(const EvaluationSummary& summary) {
  Json object{{"candidates", summary.candidates},
              {"done", summary.counts.done()},
              {"outcomes", object_of(outcomes_of(summary))},
              {"errors", object_of(errors_of(summary))},
              {"evaluated", summary.counts.evaluated},
              {"repeated", summary.counts.repeated},
              {"cache_hits", summary.counts.cache_hits},
              {"promoted", summary.counts.promoted},
              {"fuel_used", summary.fuel_used},
              {"ignored_files", summary.ignored_files}};
  if (summary.scored) object["best"] = best_of(summary);
  object["wall_time_ns"] = summary.wall_time.count();
  object["per_second"] = summary.per_second();
  return object;
}

}  // namespace petri::cli
