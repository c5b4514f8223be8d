// The text format in which Prometheus reads metrics, version 0.0.4.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petri {

enum class MetricType : std::uint8_t { counter, gauge };
std::string_view name_of(MetricType type);

// Metrics one after the other: begin() each once, then its samples, each label value once.
class PrometheusText {
 public:
  void begin(std::string_view name, MetricType type, std::string_view help);
  void add(std::uint64_t value);
  void add(std::string_view label, std::string_view label_value, std::uint64_t value);

  const std::string& text() const { return text_; }

 private:
  std::string_view name_;
  std::string text_;
};

}  // namespace petri
