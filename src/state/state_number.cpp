#include "state/state_number.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <concepts>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "base/assert.h"
#include "petri/value.h"

namespace petri {
namespace {

static_assert(std::endian::native == std::endian::little, "state is little-endian, and copied as it is");

template <typename T>
T load(const std::uint8_t* from) {
  T value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <typename T>
bool store(std::optional<T> value, std::uint8_t* to) {
  if (value) std::memcpy(to, &*value, sizeof(T));
  return value.has_value();
}

// The hardware makes a signalling NaN quiet; these keep its bits.
double widened(float number) {
  if (!std::isnan(number)) return number;
  const auto bits = std::bit_cast<std::uint32_t>(number);
  const std::uint64_t sign = std::uint64_t{bits >> 31} << 63;
  return std::bit_cast<double>(sign | 0x7ff0'0000'0000'0000U | std::uint64_t{bits & 0x007f'ffffU} << 29);
}

std::optional<float> narrowed_nan(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number);
  const auto payload = static_cast<std::uint32_t>(bits >> 29) & 0x007f'ffffU;
  const float narrow = std::bit_cast<float>(static_cast<std::uint32_t>(bits >> 63) << 31 | 0x7f80'0000U | payload);
  const bool same = payload != 0 && std::bit_cast<std::uint64_t>(widened(narrow)) == bits;
  return same ? std::optional(narrow) : std::nullopt;
}

std::optional<float> narrowed(double number) {
  if (std::isnan(number)) return narrowed_nan(number);
  if (std::isfinite(number) && std::abs(number) > std::numeric_limits<float>::max()) return std::nullopt;
  const auto narrow = static_cast<float>(number);
  return static_cast<double>(narrow) == number ? std::optional(narrow) : std::nullopt;
}

template <std::integral To, std::integral From>
std::optional<To> exact(From number) {
  return std::in_range<To>(number) ? std::optional(static_cast<To>(number)) : std::nullopt;
}

// The bounds are powers of two, so that they are exact in every float.
template <std::integral To, std::floating_point From>
std::optional<To> exact(From number) {
  const From beyond = std::ldexp(From{1}, std::numeric_limits<To>::digits);
  const From least = std::is_signed_v<To> ? -beyond : From{0};
  if (!(number >= least && number < beyond) || std::trunc(number) != number) return std::nullopt;
  if (number == 0 && std::signbit(number)) return std::nullopt;
  return static_cast<To>(number);
}

template <std::floating_point To, std::integral From>
std::optional<To> exact(From number) {
  const auto real = static_cast<To>(number);
  return exact<From>(real) == number ? std::optional(real) : std::nullopt;
}

template <std::floating_point To, std::floating_point From>
std::optional<To> exact(From number) {
  if constexpr (std::same_as<To, From>) return number;
  if constexpr (std::same_as<To, double>) {
    return widened(number);
  } else {
    return narrowed(number);
  }
}

template <typename To>
bool store_as(const StateNumber& number, std::uint8_t* to) {
  return std::visit([&](auto value) { return store<To>(exact<To>(value), to); }, number);
}

bool store_boolean(const StateNumber& number, std::uint8_t* to) {
  std::uint8_t byte = 0;
  if (!store_as<std::uint8_t>(number, &byte) || byte > 1) return false;
  *to = byte;
  return true;
}

}  // namespace

StateNumber load_number(StateType type, const std::uint8_t* from) {
  switch (type) {
    case StateType::i8: return std::int64_t{load<std::int8_t>(from)};
    case StateType::u8: return std::uint64_t{*from};
    case StateType::i16: return std::int64_t{load<std::int16_t>(from)};
    case StateType::u16: return std::uint64_t{load<std::uint16_t>(from)};
    case StateType::i32: return std::int64_t{load<std::int32_t>(from)};
    case StateType::u32: return std::uint64_t{load<std::uint32_t>(from)};
    case StateType::i64: return load<std::int64_t>(from);
    case StateType::u64: return load<std::uint64_t>(from);
    case StateType::f32: return load<float>(from);
    case StateType::f64: return load<double>(from);
    case StateType::boolean: return std::uint64_t{*from};
    case StateType::bytes:
    case StateType::text: break;
  }
  PETRI_UNREACHABLE();
}

bool store_number(StateType type, StateNumber number, std::uint8_t* to) {
  switch (type) {
    case StateType::i8: return store_as<std::int8_t>(number, to);
    case StateType::u8: return store_as<std::uint8_t>(number, to);
    case StateType::i16: return store_as<std::int16_t>(number, to);
    case StateType::u16: return store_as<std::uint16_t>(number, to);
    case StateType::i32: return store_as<std::int32_t>(number, to);
    case StateType::u32: return store_as<std::uint32_t>(number, to);
    case StateType::i64: return store_as<std::int64_t>(number, to);
    case StateType::u64: return store_as<std::uint64_t>(number, to);
    case StateType::f32: return store_as<float>(number, to);
    case StateType::f64: return store_as<double>(number, to);
    case StateType::boolean: return store_boolean(number, to);
    case StateType::bytes:
    case StateType::text: break;
  }
  PETRI_UNREACHABLE();
}

std::string to_text(const StateNumber& number) {
  if (const auto* real = std::get_if<float>(&number)) return to_text(Value(*real));
  if (const auto* real = std::get_if<double>(&number)) return to_text(Value(*real));
  if (const auto* whole = std::get_if<std::int64_t>(&number)) return fmt::format("{}", *whole);
  return fmt::format("{}", std::get<std::uint64_t>(number));
}

}  // namespace petri
