#include "petri/report/report.h"

#include <fmt/format.h>

#include <filesystem>

#include "report/lineage.h"
#include "report/page/page.h"
#include "report/records_summary.h"

namespace petri {
namespace {

// A file that changes or vanishes meanwhile costs the lineage, not the report.
Lineage lineage_of_best(const std::string& records_path, const RecordsSummary& summary, BestScore best) {
  if (summary.best.rows().empty() || !summary.best.rows().front().artifact) return {};
  const BestRow& first = summary.best.rows().front();
  return find_lineage(records_path, summary.header, *first.artifact, first.row, best).value_or(Lineage{});
}

ReportFacts facts_of(const RecordsSummary& summary, std::size_t page_bytes) {
  ReportFacts facts{.records = summary.records,
                    .scored = summary.curve.sample().seen(),
                    .best_doubt = summary.doubt_about_best(),
                    .doubtful = summary.doubtful,
                    .state = summary.state,
                    .page_bytes = page_bytes,
                    .read_error = summary.read_error};
  if (summary.curve.best()) {
    facts.best_row = summary.curve.best()->row;
    facts.best_score = summary.curve.best()->score;
  }
  return facts;
}

}  // namespace

Result<ReportFacts> write_report(const std::string& records_path, const std::string& page_path,
                                 const ReportOptions& options) {
  if (options.top < 1 || options.top > kReportTopMax) {
    return fail(ErrorCode::validation_failed,
                fmt::format("a table of the best has 1 to {} rows, not {}", kReportTopMax, options.top));
  }
  PETRI_TRY(check_page_path(page_path, records_path));
  PETRI_TRY(const RecordsSummary summary, summarize(records_path, options));
  const Lineage lineage = lineage_of_best(records_path, summary, options.best);
  const std::string page =
      report_page(summary, lineage,
                  options.title.empty() ? std::filesystem::path(records_path).filename().string() : options.title);
  PETRI_TRY(write_page(page_path, page));
  return facts_of(summary, page.size());
}

}  // namespace petri
