#include "report/page/page_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "base/text/units.h"
#include "report/page/html.h"

namespace petri {
namespace {

struct Column {
  std::string_view title;
  bool number = true;
  std::function<std::string(const BestRow&)> cell;  // empty: this row has nothing to show
};

std::string exact_score(const BestRow& row) {
  return fmt::format(R"(<span title="{}">{}</span>)", row.score, score_text(row.score));
}

std::string name_of_origin(const BestRow& row) {
  if (!row.origin || row.origin->name.empty()) return "";
  return fmt::format(R"(<span class="name" title="{0}">{0}</span>)", html_text(row.origin->name));
}

std::string generation_of(const BestRow& row) {
  return row.origin && row.origin->generation ? format_count(*row.origin->generation) : "";
}

const std::vector<Column>& columns() {
  static const std::vector<Column> columns{
      {"score", true, exact_score},
      {"name", false, name_of_origin},
      {"doubtful", false, [](const BestRow& row) { return html_text(row.doubt.value_or("")); }},
      {"generation", true, generation_of},
      {"mutation", false, [](const BestRow& row) { return row.origin ? html_text(row.origin->mutation, 80) : ""; }},
      {"fuel", true, [](const BestRow& row) { return format_count(row.fuel_used); }},
      {"memory", true, [](const BestRow& row) { return format_bytes(row.memory_peak_bytes); }},
      {"wasm", true, [](const BestRow& row) { return row.wasm_bytes > 0 ? format_bytes(row.wasm_bytes) : ""; }},
      {"row", true, [](const BestRow& row) { return format_count(row.row); }},
      {"artifact", false, [](const BestRow& row) { return row.artifact ? hash_cell(row.artifact->hex()) : ""; }},
      {"receipt", false, [](const BestRow& row) { return row.receipt ? hash_cell(row.receipt->hex()) : ""; }},
  };
  return columns;
}

bool is_filled(const Column& column, const std::vector<BestRow>& rows) {
  return std::any_of(rows.begin(), rows.end(), [&](const BestRow& row) { return !column.cell(row).empty(); });
}

std::string_view class_of(const Column& column) { return column.number ? R"( class="number")" : ""; }

}  // namespace

std::string best_table(const std::vector<BestRow>& rows) {
  if (rows.empty()) return R"(<p class="nothing">No record has a score.</p>)";
  std::vector<Column> shown = columns();
  std::erase_if(shown, [&](const Column& column) { return !is_filled(column, rows); });

  std::string table = R"(<div class="wide"><table class="best"><thead><tr><th class="number">#</th>)";
  for (const Column& column : shown) table += fmt::format("<th{}>{}</th>", class_of(column), column.title);
  table += "</tr></thead><tbody>\n";
  for (std::size_t rank = 0; rank < rows.size(); ++rank) {
    table += fmt::format(R"(<tr><td class="number rank">{}</td>)", rank + 1);
    for (const Column& column : shown) table += fmt::format("<td{}>{}</td>", class_of(column), column.cell(rows[rank]));
    table += "</tr>\n";
  }
  return table + "</tbody></table></div>\n";
}

}  // namespace petri
