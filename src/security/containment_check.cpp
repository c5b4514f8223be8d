#include "security/containment_check.h"

#include <fmt/format.h>

#include <initializer_list>
#include <string_view>

namespace petri {
namespace {

struct Time {
  std::string_view field;
  std::chrono::nanoseconds value;
};

void check(std::uint32_t limits_max, std::initializer_list<Time> times, std::string_view where,
           Complaints& complaints) {
  if (limits_max > kLimitsKeptMax) {
    complaints.add(fmt::format("{}.limits_max", where),
                   fmt::format("is {} but can be {} at most: each of them is remembered", limits_max, kLimitsKeptMax));
  }
  for (const auto& [field, value] : times) {
    if (value.count() > 0) continue;
    complaints.add(fmt::format("{}.{}", where, field), "is not longer than nothing (limits_max 0 turns it off)");
  }
}

}  // namespace

void check_breaker(const BreakerOptions& options, std::string_view where, Complaints& complaints) {
  check(options.limits_max, {{"window", options.window}, {"pause", options.pause}}, where, complaints);
}

void check_quarantine(const QuarantineOptions& options, std::string_view where, Complaints& complaints) {
  check(options.limits_max, {{"window", options.window}, {"period", options.period}}, where, complaints);
}

}  // namespace petri
