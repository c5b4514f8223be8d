#include "report/page/page_parts.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/text/units.h"
#include "report/page/html.h"

namespace petri {
namespace {

std::string pair(std::string_view term, std::string_view meaning) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, meaning);
}

std::string comparison(const EvaluationSpec& spec) {
  switch (spec.scorer) {
    case Scorer::squared_error: return "squared error against targets";
    case Scorer::exact: return "cases that are not exactly right";
    case Scorer::tolerance: return fmt::format("cases that are not right within a tolerance of {}", spec.tolerance);
    case Scorer::metrics: break;
  }
  return "";
}

std::string scored_by(const RecordsHeader& header) {
  const EvaluationSpec& spec = header.spec;
  switch (header.scored_by) {
    case ScoredBy::nobody: return "nobody";
    case ScoredBy::targets: return comparison(spec);
    case ScoredBy::harness:
      return "the harness, which returns " + html_text(fmt::format("{}", fmt::join(spec.metrics, ", ")));
    case ScoredBy::host: return "a function of the host, which no one else can repeat";
  }
  return "";
}

std::string harness(const Harness& harness) {
  return harness ? pair("harness", hash_cell(harness.artifact()->id().hex())) : "";
}

std::string host_functions(const std::vector<HostFunctionUsed>& functions) {
  std::string text;
  for (const HostFunctionUsed& function : functions) {
    text += fmt::format("{}{}.{}", text.empty() ? "" : ", ", html_text(function.module), html_text(function.name));
  }
  return text.empty() ? "none of its own" : text;
}

}  // namespace

std::string spec_list(const RecordsHeader& header) {
  const EvaluationSpec& spec = header.spec;
  return "<dl>\n" + pair("function", fmt::format("<code>{}</code>", html_text(spec.function))) + harness(spec.harness) +
         pair("cases", format_count(header.cases.size())) + pair("scored by", scored_by(header)) +
         pair("fuel per case", format_count(spec.fuel_max)) + pair("memory", format_bytes(spec.memory_bytes_max)) +
         pair("output", format_bytes(spec.output_bytes_max)) + pair("call depth", format_count(spec.call_depth_max)) +
         pair("module", format_bytes(spec.module_bytes_max)) + pair("seed", std::to_string(spec.seed)) +
         pair("fresh instance", spec.instances == Instances::per_case ? "per case" : "per candidate") +
         pair("after a failure", spec.stop_at_first_failure ? "further cases left out" : "further cases run") +
         pair("host functions", host_functions(header.host_functions)) +
         pair("versions", fmt::format("fuel table {}, guest ABI {}", header.fuel_table, header.abi)) +
         pair("spec digest", hash_cell(header.digest.hex())) + "</dl>\n";
}

}  // namespace petri
