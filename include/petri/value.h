// The numbers that cross between host and guest.
#pragma once

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

enum class ValueType : std::uint8_t { i32, i64, f32, f64, funcref, externref };

std::string_view name_of(ValueType type);

// One WebAssembly number, kept as its bits: NaNs keep their payload, and equality is equality of bits.
class Value {
 public:
  constexpr Value(std::int32_t v) : type_(ValueType::i32), bits_(static_cast<std::uint32_t>(v)) {}
  constexpr Value(std::int64_t v) : type_(ValueType::i64), bits_(static_cast<std::uint64_t>(v)) {}
  constexpr Value(float v) : type_(ValueType::f32), bits_(std::bit_cast<std::uint32_t>(v)) {}
  constexpr Value(double v) : type_(ValueType::f64), bits_(std::bit_cast<std::uint64_t>(v)) {}
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

  constexpr bool operator==(const Value&) const = default;

 private:
  ValueType type_;
  std::uint64_t bits_;
};

// A function's type, in the words of its wasm: "(i32 f64) -> i32".
struct Signature {
  std::vector<ValueType> params;
  std::vector<ValueType> results;
  bool operator==(const Signature&) const = default;
};

std::string to_text(const Signature& signature);
// The shortest text that reads back to the same bits; NaN as "nan" or "nan:0x..." with its payload.
std::string to_text(Value value);

// Reads "7", "-3", "0x1f", "2.5", "inf", "nan" as a number of this type. What does not fit exactly into an integer
// type, or is no number, is validation_failed.
Result<Value> parse_value(std::string_view text, ValueType type);

}  // namespace petri
