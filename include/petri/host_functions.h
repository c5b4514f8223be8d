// The functions a host offers its guests: petri's own, and the embedder's; and what guests see of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "petri/detail/host_callable.h"
#include "petri/policy.h"
#include "petri/result.h"
#include "petri/value.h"

namespace petri {

namespace detail {
struct Access;
}

// The error numbers guests see: results below zero of functions of the import module `petri`. Frozen with ABI 1.
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

// An error number with its name and its meaning.
struct GuestErrorRule {
  GuestError error;
  std::string_view name;
  std::string_view meaning;
};
// All errors, from -1 downwards, without gaps.
std::span<const GuestErrorRule> guest_error_rules();

// The level of a line of a guest's log. A guest names a level by its number, from 0.
enum class LogLevel : std::uint8_t { trace, debug, info, warning, error };
std::string_view name_of(LogLevel level);

// The embedder's declarations about a function of its own.
struct HostFunctionTraits {
  std::uint32_t fuel = 16;               // charged for each call, before it
  std::optional<Permission> permission;  // nullopt: every guest may import it
  bool deterministic = false;            // same arguments, same answer, no effects: may be used in evaluations
  std::uint32_t version = 1;             // bound into receipts
};

// The i32 or i64 result that a guest gets when a function of the embedder has thrown; a float result is NaN.
constexpr std::int32_t kHostFunctionThrew = static_cast<std::int32_t>(GuestError::host_function_threw);
static_assert(kHostFunctionThrew == host_callable::kThrew);

// The table of everything importable. Copies share what is defined so far and then go their own ways. A table is filled
// by one thread and may then be used by any number.
class HostFunctions {
 public:
  HostFunctions();  // petri's own families: petri, math, wasi_snapshot_preview1

  // host.define("game", "move", [](std::int32_t from, std::int32_t to) -> std::int32_t { ... });
  // Any callable with one operator(): function pointer, lambda, std::function. Parameters and result may be (u)int32_t,
  // (u)int64_t, float, double; the result may be void or a tuple of them.
  // It is called on the threads that run guests, several at once, and lives as long as this table, its copies and the
  // code linked with them. One that throws gives the guest kHostFunctionThrew, and a count in the outcome.
  // already_exists when module and name are taken; validation_failed for an empty name, an empty function, or the
  // import module `petri`, which is ABI 1 and nothing else.
  template <typename Function>
  Result<void> define(std::string_view module, std::string_view name, Function function,
                      HostFunctionTraits traits = {});

  struct Impl;

 private:
  friend struct detail::Access;
  Result<void> define_callable(std::string_view module, std::string_view name, HostCallable callable,
                               const HostFunctionTraits& traits);
  std::shared_ptr<const Impl> impl_;
};

template <typename Function>
Result<void> HostFunctions::define(std::string_view module, std::string_view name, Function function,
                                   HostFunctionTraits traits) {
  return define_callable(module, name, make_host_callable(std::move(function)), traits);
}

}  // namespace petri
