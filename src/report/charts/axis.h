// Axes of charts: where a number stands, and which numbers are written beside them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace petri {

// The mark beneath the smallest number of a logarithmic axis, at a place of its own.
enum class Below { nothing, zero, nearly_zero };

// From `from` to `to`, which are finite and differ; both are above 0 when it is logarithmic.
struct Axis {
  double from = 0;
  double to = 1;
  bool logarithmic = false;
  Below below = Below::nothing;
  bool operator==(const Axis&) const = default;
};

// 0 at the start of the axis, 1 at its end; outside of these what is not on it.
double place_on(const Axis& axis, double value);

// Holds all of the values, which are finite. Numbers so much smaller than the next that they can only be rounding count
// as nearly zero. Logarithmic when no value is negative and the largest is at least a hundred times the smallest that
// is not nearly zero.
Axis axis_for(std::span<const double> values);

struct Tick {
  double place = 0;
  std::string label;
};
// Round numbers (1, 2, 5, 10, ...; powers of ten on a logarithmic axis), at most about `ticks_max` of them.
std::vector<Tick> ticks_of(const Axis& axis, std::size_t ticks_max);

// "0.25", "12,000", "1.5M", "1e-09"
std::string short_number(double number);

}  // namespace petri
