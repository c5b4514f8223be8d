// The text format in which Prometheus reads metrics, version 0.0.4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petri {

enum class MetricType : std::uint8_t { counter, gauge };
std::string_view name_of(MetricType type);

// Builds the text: begin() once for each metric, then add() for its samples, each label value once. Help and label
// values are escaped here; names and labels must be valid by themselves. Not for several threads at once.
class PrometheusText {
 public:
  // Starts a metric. The name must outlive the calls of add() that follow.
  void begin(std::string_view name, MetricType type, std::string_view help);
  void add(std::uint64_t value);
  void add(std::string_view label, std::string_view label_value, std::uint64_t value);

  const std::string& text() const { return text_; }

 private:
  std::string_view name_;
  std::string text_;
};

}  // namespace petri
