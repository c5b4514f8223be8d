// The error numbers guests see: results below zero of functions of the import module `petri`. Frozen with ABI 1.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace petri {

enum class GuestError : std::int32_t {
  invalid = -1,
  out_of_bounds = -2,
  permission_denied = -3,
  not_found = -4,
  already_exists = -5,
  too_large = -6,
  limit_exceeded = -7,
  queue_full = -8,
  deadlock = -9,
  timeout = -10,
  not_now = -11,
  cancelled = -12,
  host_function_threw = -13,
  too_deep = -14,
  busy = -15,
};
std::string_view name_of(GuestError error);

struct GuestErrorRule {
  GuestError error;
  std::string_view name;
  std::string_view meaning;
};
// All errors, from -1 downwards, without gaps.
std::span<const GuestErrorRule> guest_error_rules();

}  // namespace petri
