// One row of the table of host functions, and how petri's own functions become rows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "engine/caller.h"
#include "host/host_call.h"
#include "petri/detail/host_callable.h"
#include "petri/policy.h"
#include "petri/value.h"

namespace petri {

// A function that guests can import: its type, what it needs and costs, and the code behind it.
struct HostFunction {
  std::string module;
  std::string name;
  Signature signature;
  std::optional<Permission> permission;  // nullopt: every guest may import it
  bool charges_bytes = false;            // a 64th of the bytes it moves, beside the declared fuel
  std::string_view also = {};            // what else it charges, for people
  bool deterministic = true;             // may be used in evaluations
  bool embedded = false;                 // the embedder's own
  bool allocates = false;                // returns bytes through the guest's export petri_alloc
  std::uint32_t version = 1;
  HostImport import;  // with the declared fuel
};

// A row of the table, beside the function's type.
struct HostFunctionRow {
  std::string_view module;
  std::string_view name;
  std::uint32_t fuel = 0;
  bool charges_bytes = false;
  std::string_view also = {};
  std::optional<Permission> permission = {};
  bool deterministic = true;
  std::uint32_t version = 1;  // grows when the same call is charged or answered otherwise: receipts bind it
};

// True if the guest may call it; counted, and as a refused call if it may not.
inline bool is_permitted(Permission permission, Caller& caller) {
  auto& context = *static_cast<HostContext*>(caller.context());
  if (context.may_use(permission)) return true;
  ++context.counts.calls_refused;
  return false;
}

// WASI answers with an errno; so an enum that says so is a number like any other.
template <typename T>
constexpr auto to_number(T value) {
  if constexpr (std::is_enum_v<T>) return static_cast<std::int32_t>(value);
  if constexpr (!std::is_enum_v<T>) return value;
}

// A permission as the data of an import.
void* data_of(std::optional<Permission> permission);

// The reason why the guest may not call it, nullopt if it may: the permission was taken away from it, or it is too
// early (a standby instance must not act before it is live).
inline std::optional<GuestError> refusal_of(Permission permission, Caller& caller) {
  auto& context = *static_cast<HostContext*>(caller.context());
  if (context.is_too_early(permission)) [[unlikely]] {
    ++context.counts.calls_refused;
    return GuestError::not_now;
  }
  if (is_permitted(permission, caller)) return std::nullopt;
  return GuestError::permission_denied;
}

// The result that a refused guest gets.
template <typename T>
constexpr auto refused_result(GuestError why) {
  if constexpr (std::is_enum_v<T>) return why == GuestError::not_now ? T::again : T::notcapable;
  if constexpr (!std::is_enum_v<T>) return static_cast<T>(static_cast<std::int32_t>(why));
}

// A host function has failed where it must not (no memory, most likely): the guest ends, and petri takes the blame.
After stop_for_fault(Caller& caller) noexcept;

// Makes an import of a C++ function: converts arguments and result, checks the permission on each call, and lets no
// exception out.
template <auto Function>
struct BoundFunction;

// `Call` is what the function takes: a HostCall, or a FileCall.
template <typename R, typename Call, typename... A, R (*Function)(Call&, A...)>
struct BoundFunction<Function> {
  static HostFunction row(const HostFunctionRow& row) {
    HostFunction function{.module = std::string(row.module),
                          .name = std::string(row.name),
                          .signature = {.params = {host_callable::value_type<A>()...}, .results = results()},
                          .permission = row.permission,
                          .charges_bytes = row.charges_bytes,
                          .also = row.also,
                          .deterministic = row.deterministic,
                          .version = row.version};
    function.import = {.callback = &call, .data = data_of(row.permission), .fuel = row.fuel, .intrinsic = 0};
    return function;
  }

 private:
  static std::vector<ValueType> results() {
    if constexpr (std::is_void_v<R>) return {};
    if constexpr (!std::is_void_v<R>) return {host_callable::value_type<decltype(to_number(std::declval<R>()))>()};
  }

  static After call(void* permission, Caller& caller, const std::uint64_t* arguments, std::uint64_t* results) {
    try {
      if (permission != nullptr) {
        if (const auto why = refusal_of(*static_cast<const Permission*>(permission), caller)) {
          if constexpr (!std::is_void_v<R>) results[0] = host_callable::to_slot(to_number(refused_result<R>(*why)));
          return After::resume;
        }
      }
      return enter(caller, arguments, results, std::index_sequence_for<A...>());
    } catch (...) {
      return stop_for_fault(caller);
    }
  }

  template <std::size_t... Index>
  static After enter(Caller& caller, const std::uint64_t* arguments, std::uint64_t* results,
                     std::index_sequence<Index...>) {
    static_cast<void>(arguments);
    static_cast<void>(results);
    Call host_call(caller);
    if constexpr (std::is_void_v<R>) {
      Function(host_call, host_callable::from_slot<A>(arguments[Index])...);
    } else {
      results[0] =
          host_callable::to_slot(to_number(Function(host_call, host_callable::from_slot<A>(arguments[Index])...)));
    }
    if constexpr (std::is_same_v<Call, FileCall>) host_call.look();
    return host_call.after();
  }
};

// host_function<&clock_ms>({.module = "petri", .name = "clock_ms", ...}): the signature follows from the C++ type.
template <auto Function>
HostFunction host_function(const HostFunctionRow& row) {
  return BoundFunction<Function>::row(row);
}

}  // namespace petri
