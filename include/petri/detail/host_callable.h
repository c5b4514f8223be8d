// Makes a function that wasm can call of a C++ callable: its signature, and a direct call with slots for arguments.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <expected>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "petri/value.h"

namespace petri {

namespace host_callable {

// The guest of one call, for a function that takes or returns bytes. A number below zero is an error as guests see it.
class GuestBytes {
 public:
  // Guest memory from this address on, paid for by its length. Valid until the guest runs again.
  virtual std::expected<std::span<std::uint8_t>, std::int32_t> range(std::uint32_t address, std::uint64_t length) = 0;
  // Looks, before the function is called, whether its answer could be given: of a structure of so many bytes, or 0 for
  // bytes of any number.
  virtual std::int32_t check_answer(std::size_t structure_bytes) = 0;
  // Gives the guest the function's answer, and returns what its call returns.
  virtual std::int32_t give(std::span<const std::uint8_t> bytes) = 0;

 protected:
  ~GuestBytes() = default;
};

}  // namespace host_callable

// The form of a callable's answer: numbers as results of the wasm function; a structure, or bytes of any number, which
// are written into guest memory.
enum class HostAnswer : std::uint8_t { numbers, structure, bytes };

// A callable and the way to call it. `call` answers false when it has thrown; the results then say so to the guest.
struct HostCallable {
  Signature signature;             // without the parameters that say where the answer goes
  std::shared_ptr<void> function;  // empty: there is nothing to call
  // For functions of numbers only; nullptr for others.
  bool (*call)(void* function, const std::uint64_t* arguments, std::uint64_t* results) noexcept = nullptr;
  // For functions that take or return bytes.
  bool (*call_with_bytes)(void* function, host_callable::GuestBytes& guest, const std::uint64_t* arguments,
                          std::uint64_t* results) noexcept = nullptr;
  HostAnswer answer = HostAnswer::numbers;
};

namespace host_callable {

template <typename T>
constexpr bool kIsNumber =
    std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t> || std::is_same_v<T, std::int64_t> ||
    std::is_same_v<T, std::uint64_t> || std::is_same_v<T, float> || std::is_same_v<T, double>;

// Bytes that are read, and bytes that are written in place.
template <typename T>
constexpr bool kIsBytes =
    std::is_same_v<T, std::string_view> || std::is_same_v<T, std::string> ||
    std::is_same_v<T, std::span<const std::uint8_t>> || std::is_same_v<T, std::span<std::uint8_t>>;
template <typename T>
constexpr bool kIsOwnedBytes = std::is_same_v<T, std::string> || std::is_same_v<T, std::vector<std::uint8_t>>;

constexpr std::size_t kStructureBytesMax = 256;
template <typename T>
struct IsTuple : std::false_type {};
template <typename... T>
struct IsTuple<std::tuple<T...>> : std::true_type {};
template <typename T>
constexpr bool kIsStructure =
    std::is_class_v<T> && !kIsBytes<T> && !kIsOwnedBytes<T> && !IsTuple<T>::value && std::is_trivially_copyable_v<T> &&
    std::is_standard_layout_v<T> && sizeof(T) <= kStructureBytesMax;
static_assert(std::endian::native == std::endian::little, "structures are copied as wasm has them");

template <typename T>
constexpr ValueType value_type() {
  static_assert(kIsNumber<T>,
                "host functions take and give (u)int32_t, (u)int64_t, float, double, strings, spans of bytes and plain "
                "structures of at most 256 bytes");
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
// An error as a result of this type; a float is NaN.
template <typename T>
constexpr std::uint64_t error_slot(std::int32_t error) {
  if constexpr (std::is_floating_point_v<T>) return to_slot(std::numeric_limits<T>::quiet_NaN());
  if constexpr (std::is_integral_v<T>) return to_slot(static_cast<T>(error));
}

// The results of a function: none, one number, a tuple of numbers, or an answer in guest memory, beside which the
// result says if it is there.
template <typename T>
struct Results {
  static constexpr HostAnswer answer() {
    if constexpr (kIsOwnedBytes<T>) return HostAnswer::bytes;
    if constexpr (kIsStructure<T>) return HostAnswer::structure;
    return HostAnswer::numbers;
  }
  static constexpr std::size_t structure_bytes() { return answer() == HostAnswer::structure ? sizeof(T) : 0; }
  static std::vector<ValueType> types() {
    if constexpr (answer() != HostAnswer::numbers) return {ValueType::i32};
    if constexpr (answer() == HostAnswer::numbers) return {value_type<T>()};
  }
  static void store(T value, std::uint64_t* slots) { slots[0] = to_slot(value); }
  static void store_error(std::int32_t error, std::uint64_t* slots) {
    if constexpr (answer() != HostAnswer::numbers) slots[0] = to_slot(error);
    if constexpr (answer() == HostAnswer::numbers) slots[0] = error_slot<T>(error);
  }
  static void give(T value, GuestBytes& guest, std::uint64_t* slots) {
    std::span<const std::uint8_t> bytes;
    if constexpr (answer() == HostAnswer::bytes)
      bytes = {reinterpret_cast<const std::uint8_t*>(value.data()), value.size()};
    if constexpr (answer() == HostAnswer::structure) {
#if __has_builtin(__builtin_clear_padding)
      __builtin_clear_padding(&value);  // what lies between members is the host's
#endif
      bytes = {reinterpret_cast<const std::uint8_t*>(&value), sizeof(T)};
    }
    slots[0] = to_slot(guest.give(bytes));
  }
};

template <>
struct Results<void> {
  static constexpr HostAnswer answer() { return HostAnswer::numbers; }
  static constexpr std::size_t structure_bytes() { return 0; }
  static std::vector<ValueType> types() { return {}; }
  static void store_error(std::int32_t, std::uint64_t*) {}
};

template <typename... T>
struct Results<std::tuple<T...>> {
  static constexpr HostAnswer answer() { return HostAnswer::numbers; }
  static constexpr std::size_t structure_bytes() { return 0; }
  static std::vector<ValueType> types() { return {value_type<T>()...}; }
  static void store(const std::tuple<T...>& values, std::uint64_t* slots) {
    std::apply([slots](T... value) mutable { ((*slots++ = to_slot(value)), ...); }, values);
  }
  static void store_error(std::int32_t error, std::uint64_t* slots) { ((*slots++ = error_slot<T>(error)), ...); }
};

// An argument: its parameters in wasm, and how it is made of their slots. Bytes are an address and a length, a
// structure is an address.
template <typename T>
struct Argument {
  static constexpr bool kInMemory = kIsBytes<T> || kIsStructure<T>;
  static constexpr std::size_t kSlots = kIsBytes<T> ? 2 : 1;
  static void add_types(std::vector<ValueType>& types) {
    if constexpr (kInMemory) types.insert(types.end(), kSlots, ValueType::i32);
    if constexpr (!kInMemory) types.push_back(value_type<T>());
  }
  // Nothing when the guest's memory has no such bytes; `error` then says why. Not called again after an error.
  static std::optional<T> load(GuestBytes& guest, const std::uint64_t* slots, std::int32_t& error) {
    if constexpr (!kInMemory) {
      return from_slot<T>(slots[0]);
    } else {
      if (error != 0) return std::nullopt;
      const std::uint64_t length = kIsBytes<T> ? static_cast<std::uint32_t>(slots[kSlots - 1]) : sizeof(T);
      const auto bytes = guest.range(static_cast<std::uint32_t>(slots[0]), length);
      if (!bytes) error = bytes.error();
      if (!bytes) return std::nullopt;
      return from_bytes(*bytes);
    }
  }

 private:
  static T from_bytes(std::span<std::uint8_t> bytes) {
    if constexpr (kIsStructure<T>) {
      T value;
      std::memcpy(&value, bytes.data(), sizeof(T));
      return value;
    } else if constexpr (std::is_same_v<T, std::string> || std::is_same_v<T, std::string_view>) {
      return T(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    } else {
      return T(bytes);
    }
  }
};

template <typename Result, typename... Arguments>
struct Shape {
  static constexpr HostAnswer kAnswer = Results<Result>::answer();
  static constexpr bool kHasBytes =
      kAnswer != HostAnswer::numbers || (Argument<std::remove_cvref_t<Arguments>>::kInMemory || ...);

  static Signature signature() {
    Signature signature{.params = {}, .results = Results<Result>::types()};
    (Argument<std::remove_cvref_t<Arguments>>::add_types(signature.params), ...);
    return signature;
  }

  template <typename Function>
  static bool call(void* function, const std::uint64_t* arguments, std::uint64_t* results) noexcept {
    try {
      enter(*static_cast<Function*>(function), arguments, results, std::index_sequence_for<Arguments...>());
      return true;
    } catch (...) {
      Results<Result>::store_error(kThrew, results);
      return false;
    }
  }

  template <typename Function>
  static bool call_with_bytes(void* function, GuestBytes& guest, const std::uint64_t* arguments,
                              std::uint64_t* results) noexcept {
    try {
      enter_with_bytes(*static_cast<Function*>(function), guest, arguments, results);
      return true;
    } catch (...) {
      Results<Result>::store_error(kThrew, results);
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

  // All arguments are looked at before the function is called.
  template <typename Function>
  static void enter_with_bytes(Function& function, GuestBytes& guest, const std::uint64_t* arguments,
                               std::uint64_t* results) {
    std::int32_t error = 0;
    const std::uint64_t* next = arguments;
    const auto load = [&]<typename T>(std::type_identity<T>) {
      const std::uint64_t* const slots = std::exchange(next, next + Argument<T>::kSlots);
      return Argument<T>::load(guest, slots, error);
    };
    static_cast<void>(load);
    // In braces, so that they are loaded in their order.
    std::tuple<std::optional<std::remove_cvref_t<Arguments>>...> loaded{
        load(std::type_identity<std::remove_cvref_t<Arguments>>{})...};
    if (error == 0 && kAnswer != HostAnswer::numbers) error = guest.check_answer(Results<Result>::structure_bytes());
    if (error != 0) return Results<Result>::store_error(error, results);
    const auto call_loaded = [&](auto&... argument) { return function(*std::move(argument)...); };
    if constexpr (std::is_void_v<Result>) {
      std::apply(call_loaded, loaded);
    } else if constexpr (kAnswer == HostAnswer::numbers) {
      Results<Result>::store(std::apply(call_loaded, loaded), results);
    } else {
      Results<Result>::give(std::apply(call_loaded, loaded), guest, results);
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
  HostCallable callable{.signature = Shape::signature(), .function = nullptr, .answer = Shape::kAnswer};
  if constexpr (Shape::kHasBytes) callable.call_with_bytes = &Shape::template call_with_bytes<Function>;
  if constexpr (!Shape::kHasBytes) callable.call = &Shape::template call<Function>;
  if (!host_callable::is_empty(function)) callable.function = std::make_shared<Function>(std::move(function));
  return callable;
}

}  // namespace petri
