// Values that many headers share: the numbers that cross between host and guest, hashes, points in time.
#pragma once

#include <array>
#include <bit>
#include <chrono>
#include <compare>
#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

// A SHA-256.
struct Sha256 {
  std::array<std::uint8_t, 32> bytes{};

  // 64 lower-case digits.
  std::string hex() const;
  // Reads 64 digits of either case; nullopt for anything else.
  static std::optional<Sha256> from_hex(std::string_view digits);

  auto operator<=>(const Sha256&) const = default;
  // Prints hex().
  friend std::ostream& operator<<(std::ostream& out, const Sha256& hash);
};

// A point in time as calendars show it. It may go back, when somebody sets the machine's clock.
using WallTime = std::chrono::sys_time<std::chrono::nanoseconds>;

// The names that both had before; they go with the next release.
using Digest [[deprecated("write Sha256")]] = Sha256;
using AuditHash [[deprecated("write Sha256")]] = Sha256;
using VersionTime [[deprecated("write WallTime")]] = WallTime;
using AuditTime [[deprecated("write WallTime")]] = WallTime;

// The types of WebAssembly values; references never cross to the host.
enum class ValueType : std::uint8_t { i32, i64, f32, f64, funcref, externref };

std::string_view name_of(ValueType type);

// The types that become an i32 or an i64: all integers, of up to 64 bits. A bool is the i32 0 or 1, as C compilers pass
// it; a character is no number.
template <typename T>
concept ValueInteger = std::integral<T> && sizeof(T) <= 8 && !std::same_as<T, char> && !std::same_as<T, wchar_t> &&
                       !std::same_as<T, char8_t> && !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// One WebAssembly number, kept as its bits: NaNs keep their payload, and equality is equality of type and bits.
class Value {
 public:
  // An i32 if the type has up to 32 bits, else an i64. Where a parameter has another type, see converted().
  template <ValueInteger T>
  constexpr Value(T v)
      : type_(sizeof(T) <= 4 ? ValueType::i32 : ValueType::i64),
        unsigned_(std::unsigned_integral<T>),
        bits_(sizeof(T) <= 4 ? static_cast<std::uint32_t>(v) : static_cast<std::uint64_t>(v)) {}
  constexpr Value(float v) : type_(ValueType::f32), bits_(std::bit_cast<std::uint32_t>(v)) {}
  constexpr Value(double v) : type_(ValueType::f64), bits_(std::bit_cast<std::uint64_t>(v)) {}
  // A value of these bits, of which an i32 and an f32 have 32.
  static constexpr Value from_bits(ValueType type, std::uint64_t bits) {
    const bool narrow = type == ValueType::i32 || type == ValueType::f32;
    Value value(std::int32_t{0});
    value.type_ = type;
    value.bits_ = narrow ? bits & 0xffff'ffffU : bits;
    return value;
  }

  constexpr ValueType type() const { return type_; }
  constexpr std::uint64_t bits() const { return bits_; }
  constexpr std::int32_t i32() const { return static_cast<std::int32_t>(bits_); }
  constexpr std::int64_t i64() const { return static_cast<std::int64_t>(bits_); }
  constexpr float f32() const { return std::bit_cast<float>(static_cast<std::uint32_t>(bits_)); }
  constexpr double f64() const { return std::bit_cast<double>(bits_); }

  // The same number as a value of another type: an integer as an f64, an f32 or the other integer type, an f32 as an
  // f64. nullopt where the number would not be exactly the same, and for all else.
  std::optional<Value> converted(ValueType type) const;

  constexpr bool operator==(const Value& other) const { return type_ == other.type_ && bits_ == other.bits_; }
  // Prints to_text().
  friend std::ostream& operator<<(std::ostream& out, const Value& value);

 private:
  ValueType type_;
  bool unsigned_ = false;  // the integer that it was created from; what guests return is signed
  std::uint64_t bits_;
};

// A function's type, in the words of its wasm: "(i32 f64) -> i32".
struct Signature {
  std::vector<ValueType> params;
  std::vector<ValueType> results;
  bool operator==(const Signature&) const = default;
  // Prints to_text().
  friend std::ostream& operator<<(std::ostream& out, const Signature& signature);
};

// The signature as in the comment above.
std::string to_text(const Signature& signature);
// The shortest string that reads back to the same bits; NaN as "nan" or "nan:0x..." with its payload.
std::string to_text(Value value);

// Reads "7", "-3", "0x1f", "2.5", "inf", "nan" as a number of this type. What does not fit exactly into an integer
// type, or is no number, is validation_failed.
Result<Value> parse_value(std::string_view text, ValueType type);

}  // namespace petri
