#include "report/page/page_parts.h"

#include <fmt/format.h>

#include "base/text/units.h"
#include "report/page/html.h"

namespace petri {
namespace {

std::string pair(std::string_view term, std::string_view meaning) {
  return fmt::format("<dt>{}</dt><dd>{}</dd>\n", term, meaning);
}

std::string scored_by(ScoredBy by) {
  switch (by) {
    case ScoredBy::nobody: return "nobody";
    case ScoredBy::targets: return "squared error against targets";
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
         pair("cases", format_count(header.cases.size())) + pair("scored by", scored_by(header.scored_by)) +
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
