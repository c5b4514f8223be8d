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

std::vector<ErrorDetail> faults_in(std::uint32_t limits_max, std::initializer_list<Time> times) {
  std::vector<ErrorDetail> faults;
  if (limits_max > kLimitsKeptMax) {
    faults.push_back({"limits_max", fmt::format("is {} but can be {} at most: each of them is remembered", limits_max,
                                                kLimitsKeptMax)});
  }
  for (const auto& [field, value] : times) {
    if (value.count() > 0) continue;
    faults.push_back({std::string(field), "is not longer than nothing (limits_max 0 turns it off)"});
  }
  return faults;
}

}  // namespace

std::vector<ErrorDetail> faults_of(const BreakerOptions& options) {
  return faults_in(options.limits_max, {{"window", options.window}, {"pause", options.pause}});
}

std::vector<ErrorDetail> faults_of(const QuarantineOptions& options) {
  return faults_in(options.limits_max, {{"window", options.window}, {"period", options.period}});
}

}  // namespace petri
