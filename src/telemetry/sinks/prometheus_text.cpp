#include "telemetry/sinks/prometheus_text.h"

#include <fmt/format.h>

#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<2> kMetricTypes{"counter", "gauge"};

// The format knows three escapes, of which a help text has two: a quote stands for itself there.
std::string escaped(std::string_view text, bool quoted) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\\' || (quoted && c == '"')) {
      result.append("\\") += c;
    } else {
      result += c;
    }
  }
  return result;
}

}  // namespace

std::string_view name_of(MetricType type) { return name_in(kMetricTypes, type); }

void PrometheusText::begin(std::string_view name, MetricType type, std::string_view help) {
  name_ = name;
  text_ += fmt::format("# HELP {0} {1}\n# TYPE {0} {2}\n", name, escaped(help, false), name_of(type));
}

void PrometheusText::add(std::uint64_t value) { text_ += fmt::format("{} {}\n", name_, value); }

void PrometheusText::add(std::string_view label, std::string_view label_value, std::uint64_t value) {
  text_ += fmt::format("{}{{{}=\"{}\"}} {}\n", name_, label, escaped(label_value, true), value);
}

}  // namespace petri
