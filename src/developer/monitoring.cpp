#include "developer/monitoring.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "telemetry/metrics/metrics.h"

namespace petri::developer {
namespace {

struct Alert {
  std::string_view name;
  std::string_view expression;
  std::string_view lasting;  // how long it must hold
  std::string_view severity;
  std::string_view summary;
};

constexpr Alert kAlerts[] = {
    {"PetriHostPressure", "rate(petri_host_pressure_total[5m]) > 0", "0m", "warning",
     "sandboxes are refused: the memory budget is spent"},
    {"PetriSandboxFailed", "petri_sandboxes{status=\"failed\"} > 0", "5m", "warning",
     "supervision gave up on a sandbox; petri shell info has the cause"},
    {"PetriQuarantine", "increase(petri_quarantines_total[10m]) > 0", "0m", "warning",
     "an artifact met limits again and again, and is refused for a while"},
    {"PetriBreakersOpen", "increase(petri_breaker_openings_total[10m]) > 0", "0m", "warning",
     "a sandbox meets ending limits again and again, and its callers get busy"},
    {"PetriManyKills", "rate(petri_kills_total[5m]) > 4 * rate(petri_kills_total[1h] offset 1h) + 1", "10m", "info",
     "guests meet limits more often than before: new code, or an attack"},
    {"PetriCompilingUnavailable", "petri_compiling_unavailable_total > 0", "0m", "warning",
     "there is no compile worker: hot code stays interpreted"},
    {"PetriFault", "increase(petri_run_errors_total{error=~\"engine_fault|host_fault\"}[1h]) > 0", "0m", "critical",
     "a defect of petri or of a host function: report it"},
    {"PetriAuditLost", "increase(petri_audit_file_lost_total[10m]) + increase(petri_audit_lost_total[10m]) > 0", "0m",
     "critical", "entries of the audit trail are lost: the disk is full, or memory is"},
    {"PetriEventsLost", "rate(petri_events_lost_total[5m]) > 0", "5m", "warning", "a reader of events is too slow"},
    {"PetriBatchRowsFail",
     "rate(petri_batch_rows_total{result=\"error\"}[5m]) > 0.5 * sum(rate(petri_batch_rows_total[5m]))", "10m", "info",
     "most rows of batches are errors"},
    {"PetriCollectionStopped", "increase(petri_collections_total[15m]) == 0", "15m", "warning",
     "no collection has run for a while; what is dead stays (does not hold where gc_interval is 0)"},
};

// Counters are shown as rates, by their label if they have one.
std::string expression_of(const MetricRule& rule) {
  const std::string value =
      rule.type == MetricType::counter ? fmt::format("rate({}[$__rate_interval])", rule.name) : std::string(rule.name);
  return rule.label.empty() ? value : fmt::format("sum by ({}) ({})", rule.label, value);
}

nlohmann::ordered_json panel_of(const MetricRule& rule, std::size_t number) {
  constexpr std::size_t kWide = 8, kHigh = 7, kInRow = 3;
  const std::string legend = rule.label.empty() ? std::string(rule.name) : fmt::format("{{{{{}}}}}", rule.label);
  const bool is_bytes = rule.name.ends_with("_bytes");
  return {{"id", number + 1},
          {"type", "timeseries"},
          {"title", rule.help},
          {"datasource", {{"type", "prometheus"}, {"uid", "${DS_PROMETHEUS}"}}},
          {"gridPos", {{"x", number % kInRow * kWide}, {"y", number / kInRow * kHigh}, {"w", kWide}, {"h", kHigh}}},
          {"fieldConfig",
           {{"defaults",
             {{"unit", is_bytes                           ? "bytes"
                       : rule.type == MetricType::counter ? "ops"
                                                          : "short"},
              {"min", 0}}}}},
          {"targets", {{{"refId", "A"}, {"expr", expression_of(rule)}, {"legendFormat", legend}}}}};
}

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The word that starts here.
std::string_view word_at(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && is_name(text[end])) ++end;
  return text.substr(at, end - at);
}

std::optional<MetricRule> metric_named(std::string_view name) {
  for (const MetricRule& rule : metric_rules()) {
    if (rule.name == name) return rule;
  }
  return std::nullopt;
}

}  // namespace

std::string alert_rules() {
  std::string text =
      "# Made by tools/docs from the list of metrics (src/developer/monitoring.cpp).\ngroups:\n  - name: petri\n"
      "    rules:\n";
  for (const Alert& alert : kAlerts) {
    text += fmt::format(
        "      - alert: {}\n        expr: '{}'\n        for: {}\n        labels:\n          severity: {}\n"
        "        annotations:\n          summary: '{}'\n",
        alert.name, alert.expression, alert.lasting, alert.severity, alert.summary);
  }
  return text;
}

std::string grafana_dashboard() {
  nlohmann::ordered_json panels = nlohmann::ordered_json::array();
  for (const MetricRule& rule : metric_rules()) panels.push_back(panel_of(rule, panels.size()));
  const nlohmann::ordered_json dashboard{
      {"__inputs",
       {{{"name", "DS_PROMETHEUS"}, {"label", "Prometheus"}, {"type", "datasource"}, {"pluginId", "prometheus"}}}},
      {"title", "petri"},
      {"uid", "petri"},
      {"schemaVersion", 39},
      {"editable", true},
      {"refresh", "10s"},
      {"time", {{"from", "now-1h"}, {"to", "now"}}},
      {"panels", panels}};
  return dashboard.dump(2) + "\n";
}

std::vector<std::string> unknown_metrics(std::string_view text) {
  constexpr std::string_view kPrefix = "petri_";
  std::vector<std::string> unknown;
  for (std::size_t at = text.find(kPrefix); at != std::string_view::npos; at = text.find(kPrefix, at + 1)) {
    if (at > 0 && is_name(text[at - 1])) continue;
    const std::string_view name = word_at(text, at);
    const auto rule = metric_named(name);
    if (!rule) {
      unknown.emplace_back(name);
      continue;
    }
    const std::size_t after = at + name.size();
    if (after >= text.size() || text[after] != '{') continue;
    const std::string_view label = word_at(text, after + 1);
    if (label != rule->label) unknown.push_back(fmt::format("{}{{{}}}", name, label));
  }
  return unknown;
}

}  // namespace petri::developer
