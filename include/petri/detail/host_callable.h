// Makes a function that wasm can call of a C++ callable: its signature, and a direct call with slots for arguments.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "petri/value.h"

namespace petri {

// A callable and the way to call it. `call` answers false when it has thrown; the results then say so to the guest.
struct HostCallable {
  Signature signature;
  std::shared_ptr<void> function;  // empty: there is nothing to call
  bool (*call)(void* function, const std::uint64_t* arguments, std::uint64_t* results) noexcept = nullptr;
};

namespace host_callable {

template <typename T>
constexpr bool kIsNumber =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, std::uint64_t> || std::is_same_v<T, float> || std::is_same_v<T, double>;

template <typename T>
constexpr ValueType value_type() {
  static_assert(kIsNumber<T>, "host functions take and give (u)int32_t, (u)int64_t, float and double only");
  if constexpr (std::is_same_v<T, float>) return ValueType::f32;
  if constexpr (std::is_same_v<T, double>) return ValueType::f64;
  return sizeof(T) == 4 ? ValueType::i32 : ValueType::i64;
}

template <typename T>
constexpr T from_slot(std::uint64_t slot) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(static_cast<std::uint32_t>(slot));
  if constexpr (std::is_same_v<T, double>) return std::bit_cast<double>(slot);
  if constexpr (std::is_integral_v<T>) return static_cast<T>(slot);
}

template <typename T>
constexpr std::uint64_t to_slot(T value) {
  if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(value);
  if constexpr (std::is_same_v<T, double>) return std::bit_cast<std::uint64_t>(value);
  if constexpr (std::is_integral_v<T>)
    return sizeof(T) == 4 ? static_cast<std::uint32_t>(value) : static_cast<std::uint64_t>(value);
}

// The result that a guest reads when the function has thrown: GuestError::host_function_threw.
constexpr std::int32_t kThrew = -13;
template <typename T>
constexpr std::uint64_t threw_slot() {
  if constexpr (std::is_floating_point_v<T>) return to_slot(std::numeric_limits<T>::quiet_NaN());
  if constexpr (std::is_integral_v<T>) return to_slot(static_cast<T>(kThrew));
}

// The results of a function: none, one number, or a tuple of numbers.
template <typename T>
struct Results {
  static std::vector<ValueType> types() { return {value_type<T>()}; }
  static void store(T value, std::uint64_t* slots) { slots[0] = to_slot(value); }
  static void store_threw(std::uint64_t* slots) { slots[0] = threw_slot<T>(); }
};

template <>
struct Results<void> {
  static std::vector<ValueType> types() { return {}; }
  static void store_threw(std::uint64_t*) {}
};

template <typename... T>
struct Results<std::tuple<T...>> {
  static std::vector<ValueType> types() { return {value_type<T>()...}; }
  static void store(const std::tuple<T...>& values, std::uint64_t* slots) {
    std::apply([slots](T... value) mutable { ((*slots++ = to_slot(value)), ...); }, values);
  }
  static void store_threw(std::uint64_t* slots) { ((*slots++ = threw_slot<T>()), ...); }
};

template <typename Result, typename... Arguments>
struct Shape {
  static Signature signature() {
    return {.params = {value_type<std::remove_cvref_t<Arguments>>()...}, .results = Results<Result>::types()};
  }

  template <typename Function>
  static bool call(void* function, const std::uint64_t* arguments, std::uint64_t* results) noexcept {
    try {
      enter(*static_cast<Function*>(function), arguments, results, std::index_sequence_for<Arguments...>());
      return true;
    } catch (...) {
      Results<Result>::store_threw(results);
      return false;
    }
  }

 private:
  template <typename Function, std::size_t... Index>
  static void enter(Function& function, const std::uint64_t* arguments, std::uint64_t* results,
                    std::index_sequence<Index...>) {
    static_cast<void>(arguments);
    static_cast<void>(results);
    if constexpr (std::is_void_v<Result>) {
      function(from_slot<std::remove_cvref_t<Arguments>>(arguments[Index])...);
    } else {
      Results<Result>::store(function(from_slot<std::remove_cvref_t<Arguments>>(arguments[Index])...), results);
    }
  }
};

// The shape of anything with one call operator.
template <typename Function>
struct ShapeOf : ShapeOf<decltype(&Function::operator())> {};
template <typename R, typename... A>
struct ShapeOf<R (*)(A...)> : Shape<R, A...> {};
template <typename R, typename... A>
struct ShapeOf<R (*)(A...) noexcept> : Shape<R, A...> {};
template <typename C, typename R, typename... A>
struct ShapeOf<R (C::*)(A...)> : Shape<R, A...> {};
template <typename C, typename R, typename... A>
struct ShapeOf<R (C::*)(A...) noexcept> : Shape<R, A...> {};
template <typename C, typename R, typename... A>
struct ShapeOf<R (C::*)(A...) const> : Shape<R, A...> {};
template <typename C, typename R, typename... A>
struct ShapeOf<R (C::*)(A...) const noexcept> : Shape<R, A...> {};

template <typename Function>
constexpr bool kIsStdFunction = false;
template <typename Type>
constexpr bool kIsStdFunction<std::function<Type>> = true;

template <typename Function>
bool is_empty(const Function& function) {
  if constexpr (std::is_pointer_v<Function> || kIsStdFunction<Function>) return function == nullptr;
  return false;
}

}  // namespace host_callable

template <typename Function>
HostCallable make_host_callable(Function function) {
  using Shape = host_callable::ShapeOf<Function>;
  HostCallable callable{.signature = Shape::signature(), .function = nullptr, .call = &Shape::template call<Function>};
  if (!host_callable::is_empty(function)) callable.function = std::make_shared<Function>(std::move(function));
  return callable;
}

}  // namespace petri
