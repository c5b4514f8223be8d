#include "report/page/page.h"

#include <fmt/format.h>

#include "base/text/units.h"
#include "report/charts/axis.h"
#include "report/charts/charts.h"
#include "report/page/html.h"
#include "report/page/page_parts.h"

namespace petri {
namespace {

// Browsers that honour it would refuse to fetch or run anything even if some text were taken for markup.
constexpr std::string_view kPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

}  // namespace

std::string page_head(const std::string& title) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n"
      "<title>{} · petri report</title>\n<style>{}</style>\n</head>\n",
      kPolicy, html_text(title), page_style());
}

std::string page_tile(std::string_view value, std::string_view what) {
  return fmt::format("<div class=\"tile\"><b>{}</b><span>{}</span></div>\n", value, what);
}

std::string page_section(std::string_view name, std::string_view title, std::string_view content) {
  return fmt::format("<section id=\"{0}\" aria-labelledby=\"{0}-title\"><h2 id=\"{0}-title\">{1}</h2>\n{2}</section>\n",
                     name, title, content);
}

namespace {

std::string generations(const RecordsSummary& summary) {
  if (!summary.generation_first) return "";
  const std::uint64_t first = *summary.generation_first;
  const std::uint64_t last = *summary.generation_last;
  return page_tile(fmt::format("{} – {}", format_count(first), format_count(last)), "generations");
}

std::string best_tile(const RecordsSummary& summary) {
  if (!summary.curve.best()) return page_tile("none", "score");
  const auto doubt = summary.doubt_about_best();
  return page_tile(score_text(summary.curve.best()->score),
                   fmt::format("best score ({} is best), row {}{}", name_of(summary.curve.best_is()),
                               format_count(summary.curve.best()->row),
                               doubt ? fmt::format(", doubtful: {}", html_text(*doubt)) : ""));
}

std::string tiles(const RecordsSummary& summary) {
  return "<div class=\"tiles\">\n" + best_tile(summary) + page_tile(format_count(summary.records), "candidates") +
         page_tile(percent_text(summary.outcomes.ok(), summary.records), "ok in every case") + generations(summary) +
         page_tile(format_count(summary.curve.improvements()), "improvements") +
         page_tile(short_number(static_cast<double>(summary.fuel_used)), "fuel used in all") + "</div>\n";
}

// Counts that are not in the charts: rows that were not run here, and rows nobody can repeat.
std::string row_counts(const RecordsSummary& summary) {
  std::string text = fmt::format("{} records", format_count(summary.records));
  text += fmt::format(", {} of them repeat an earlier row", format_count(summary.repeated));
  text += fmt::format(", {} cannot be repeated because time ended a case", format_count(summary.not_repeatable));
  if (summary.cancelled() > 0) {
    text += fmt::format("; {} further rows were cancelled and are not in the file", format_count(summary.cancelled()));
  }
  return text;
}

std::string note(std::string_view title, std::string_view text) {
  return fmt::format("<p class=\"note\" role=\"note\"><b>{}</b> {}</p>\n", title, text);
}

std::string state_note(RecordsState state) {
  switch (state) {
    case RecordsState::whole: return "";
    case RecordsState::incomplete:
      return note("Not complete.",
                  "The file has no final line: the run was killed, is still going, or lines were taken away.");
    case RecordsState::changed:
      return note("Changed.", "The file is not as it was written: its first or its final line does not fit the rest.");
  }
  return "";
}

// Notes on the file itself. Only running its records again shows if they are true.
std::string notes(const RecordsSummary& summary) {
  std::string text;
  if (summary.read_error) {
    text += note("Not the whole file.",
                 fmt::format("This page shows the {} whole records at its beginning. {}", format_count(summary.records),
                             html_text(summary.read_error->message, 500)));
  } else {
    text += state_note(summary.state);
  }
  if (summary.doubtful > 0) {
    text += note("Doubtful.", fmt::format("{} of {} records contradict themselves, have no receipt that fits, or were "
                                          "ended by time.",
                                          format_count(summary.doubtful), format_count(summary.records)));
  }
  return text;
}

}  // namespace

std::string report_page(const RecordsSummary& summary, const Lineage& lineage, const std::string& title) {
  std::string page = page_head(title) + "<body>\n<main>\n<header><h1>" + html_text(title) + "</h1>\n";
  page += fmt::format("<p>Candidates' function <code>{}</code> over {} cases, seed {}.</p></header>\n",
                      html_text(summary.header.spec.function), format_count(summary.header.cases.size()),
                      summary.header.spec.seed);
  page += notes(summary) + tiles(summary);
  page += page_section("curve", "Best so far", curve_chart(summary, lineage));
  page += page_section("score-fuel", "Score and fuel", score_fuel_chart(summary.score_fuel, summary.curve.best_is()));
  page += page_section("outcomes", "How candidates ended", outcome_chart(summary.outcomes));
  page += page_section("fuel", "Fuel", fuel_chart(summary.fuel));
  page += page_section("best", "The best", best_table(summary.best.rows()));
  if (has_parents(lineage)) page += page_section("lineage", "Lineage of the best", lineage_list(lineage));
  page += page_section("spec", "What was evaluated", spec_list(summary.header));
  page += fmt::format(
      "</main>\n<footer>{}. Nothing on this page has been verified: <code>petri verify</code> runs the candidates "
      "again."
      "</footer>\n</body>\n</html>\n",
      row_counts(summary));
  return page;
}

}  // namespace petri
