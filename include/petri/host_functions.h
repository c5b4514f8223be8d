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

// How a function that returns bytes hands them to the guest. Both change the function's type in wasm.
enum class BytesTo : std::uint8_t {
  // A last parameter i32 is the address of two i32 of the guest's, which receive the address and the length of the
  // bytes: in memory that the guest's own export `petri_alloc` of type (i32) -> i32 has returned for them, and that is
  // the guest's from then on. The result is 0; limit_exceeded where that returned 0, out_of_bounds where it returned
  // what is not in the guest's memory. No bytes have the address 0.
  allocated,
  // Two last parameters i32 are the address and the size of a buffer. The result is how many bytes there are; nothing
  // is written when that is more than the buffer has, and the guest may call again with a larger one.
  buffer,
};

// The embedder's declarations about a function of its own.
struct HostFunctionTraits {
  std::uint32_t fuel = 16;               // charged for each call, before it
  std::optional<Permission> permission;  // nullopt: every guest may import it
  bool deterministic = false;            // same arguments, same answer, no effects: may be used in evaluations
  std::uint32_t version = 1;             // bound into receipts
  BytesTo bytes_to = BytesTo::allocated;
  // The longest bytes that the function takes or returns, up to kHostBytesMax; more is too_large for the guest.
  std::uint32_t bytes_max = 1U << 20;
};
constexpr std::uint32_t kHostBytesMax = 16U << 20;

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
  // Bytes: a std::string_view, a std::string or a std::span<const std::uint8_t> is an address and a length in wasm, and
  // a std::span<std::uint8_t> likewise, whose bytes the function changes in place. A structure of numbers, up to 256
  // bytes, is the address of its bytes, which have to be laid out as in C. All are looked at before the function is
  // called, and cost a 64th of fuel a byte; what is not in the guest's memory is out_of_bounds for the guest. Views are
  // valid during the call; text need not be UTF-8. The result may be a std::string or std::vector<std::uint8_t>
  // (`traits.bytes_to` says where it goes) or a structure, for which a last parameter has the address, and the result
  // is 0 or an error. A function is not_now for an allocator that it is itself waiting for.
  // It is called on the threads that run guests, several at once, and lives as long as this table, its copies and the
  // code linked with them. One that throws gives the guest kHostFunctionThrew, and a count in the outcome.
  // already_exists when module and name are taken; validation_failed for an empty name, an empty function, a bytes_max
  // of more than kHostBytesMax, or the import module `petri`, which is ABI 1 and nothing else.
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
