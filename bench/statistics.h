// Statistics of many samples.
#pragma once

#include <fmt/format.h>

#include <optional>
#include <type_traits>
#include <vector>

namespace petri::bench {

// A number, and how far the samples it was made of lie apart: half the distance between their quartiles, as a share of
// it. Computing with it keeps the share. Nothing: it was not made of samples.
struct Sampled {
  constexpr Sampled(double number = 0, std::optional<double> share = std::nullopt) : value(number), spread(share) {}
  constexpr operator double() const { return value; }

  double value;
  std::optional<double> spread;
};
template <typename Number>
  requires std::is_arithmetic_v<Number>
constexpr Sampled operator*(Sampled number, Number factor) {
  return {number.value * static_cast<double>(factor), number.spread};
}
template <typename Number>
  requires std::is_arithmetic_v<Number>
constexpr Sampled operator*(Number factor, Sampled number) {
  return number * factor;
}
template <typename Number>
  requires std::is_arithmetic_v<Number>
constexpr Sampled operator/(Sampled number, Number divisor) {
  return {number.value / static_cast<double>(divisor), number.spread};
}
template <typename Number>
  requires std::is_arithmetic_v<Number>
constexpr Sampled operator/(Number number, Sampled divisor) {
  return {static_cast<double>(number) / divisor.value, divisor.spread};
}
// Both may be off: their shares add up.
Sampled operator/(Sampled number, Sampled divisor);
constexpr Sampled larger(Sampled one, Sampled other) { return one.value < other.value ? other : one; }

// All need at least one sample.
double median(std::vector<double> samples);
// The median with its spread.
Sampled middle_of(std::vector<double> samples);
// The smallest sample that at least this share of them, from 0 to 1, do not exceed.
double percentile(std::vector<double> samples, double share);
// The mean of samples above zero.
double geometric_mean(const std::vector<double>& samples);

}  // namespace petri::bench

// Shown as the number alone.
template <>
struct fmt::formatter<petri::bench::Sampled> : fmt::formatter<double> {
  auto format(const petri::bench::Sampled& number, fmt::format_context& context) const {
    return fmt::formatter<double>::format(number.value, context);
  }
};
