#include "report/charts/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "base/text/units.h"

namespace petri {
namespace {

constexpr double kLogarithmicFromRatio = 100;
// A number this much smaller than the next larger one is what rounding left of zero.
constexpr double kRoundingRatio = 1e6;
// How much of an axis is below its smallest number when something has a place there.
constexpr double kBelowShare = 0.1;

// The smallest of 1, 2, 5, 10, 20 ... times a power of ten that is at least `least`.
double round_step(double least) {
  const double power = std::pow(10.0, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

// Going down from the largest value to the first gap only rounding explains; 0 when no value is positive.
double smallest_above_rounding(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end(), std::greater<>());
  double smallest = std::max(sorted.front(), 0.0);
  for (const double value : sorted) {
    if (value <= 0 || smallest / value >= kRoundingRatio) break;
    smallest = value;
  }
  return smallest;
}

Below what_is_below(std::span<const double> values, double smallest) {
  const auto is_rest = [&](double value) { return value > 0 && value < smallest; };
  if (std::any_of(values.begin(), values.end(), is_rest)) return Below::nearly_zero;
  return std::find(values.begin(), values.end(), 0.0) == values.end() ? Below::nothing : Below::zero;
}

// As many digits as tell neighbours apart.
std::string tick_label(double value, double step) {
  if (std::abs(value) >= 1'000 || value == 0) return short_number(value);
  const int digits = static_cast<int>(std::ceil(std::log10(std::abs(value) / step) + 1e-9)) + 1;
  return fmt::format("{:.{}g}", value, std::clamp(digits, 4, 15));
}

std::vector<Tick> linear_ticks(const Axis& axis, std::size_t ticks_max) {
  const double step = round_step((axis.to - axis.from) / static_cast<double>(std::max<std::size_t>(ticks_max, 2) - 1));
  std::vector<Tick> ticks;
  const double first = std::ceil(axis.from / step - 1e-9);
  const double last = std::floor(axis.to / step + 1e-9);
  for (std::size_t tick = 0; tick < 2 * ticks_max && first + static_cast<double>(tick) <= last; ++tick) {
    const double steps = first + static_cast<double>(tick);
    const double value = steps == 0 ? 0 : steps * step;
    ticks.push_back({place_on(axis, value), tick_label(value, step)});
  }
  return ticks;
}

// With 1, 2 and 5 of each power when there are few powers.
std::vector<Tick> logarithmic_ticks(const Axis& axis, std::size_t ticks_max) {
  const double first = std::floor(std::log10(axis.from) + 1e-9);
  const double last = std::floor(std::log10(axis.to) + 1e-9);
  const double powers = std::log10(axis.to) - std::log10(axis.from);
  const double every = std::max(1.0, std::ceil(powers / static_cast<double>(std::max<std::size_t>(ticks_max, 1))));
  const bool halves = 3 * powers <= static_cast<double>(ticks_max);
  std::vector<Tick> ticks;
  if (axis.below != Below::nothing) ticks.push_back({0, axis.below == Below::zero ? "0" : "≈ 0"});
  const double first_power = std::ceil(first / every) * every;
  for (int tick = 0; first_power + tick * every <= last; ++tick) {
    const double power = first_power + tick * every;
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double value = factor * std::pow(10.0, power);
      const bool on_axis = value >= axis.from * (1 - 1e-9) && value <= axis.to * (1 + 1e-9);
      if (on_axis && (factor == 1 || halves)) ticks.push_back({place_on(axis, value), short_number(value)});
    }
  }
  return ticks;
}

}  // namespace

double place_on(const Axis& axis, double value) {
  if (!axis.logarithmic) return (value / 2 - axis.from / 2) / (axis.to / 2 - axis.from / 2);
  const double bottom = axis.below == Below::nothing ? 0 : kBelowShare;
  if (bottom > 0 && value < axis.from) return 0;
  if (value <= 0) return -1;
  return bottom + (1 - bottom) * (std::log(value) - std::log(axis.from)) / (std::log(axis.to) - std::log(axis.from));
}

Axis axis_for(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double positive = smallest_above_rounding(values);
  if (*least >= 0 && *most > 0 && *most / positive >= kLogarithmicFromRatio) {
    return {.from = positive, .to = *most, .logarithmic = true, .below = what_is_below(values, positive)};
  }
  if (*least == *most) {
    const double around = *least == 0 ? 1 : std::abs(*least) / 2;
    return {.from = *least - around, .to = *most + around};
  }
  return {.from = *least, .to = *most};
}

std::vector<Tick> ticks_of(const Axis& axis, std::size_t ticks_max) {
  return axis.logarithmic ? logarithmic_ticks(axis, ticks_max) : linear_ticks(axis, ticks_max);
}

std::string short_number(double number) {
  const double size = std::abs(number);
  for (const auto& [unit, suffix] : {std::pair(1e12, 'T'), std::pair(1e9, 'G'), std::pair(1e6, 'M')}) {
    if (size >= unit && size < 1e15) return fmt::format("{:.4g}{}", number / unit, suffix);
  }
  if (size >= 1'000 && number == std::round(number) && size < 1e6) {
    return (number < 0 ? "-" : "") + format_count(static_cast<std::uint64_t>(size));
  }
  return fmt::format("{:.4g}", number);
}

}  // namespace petri
