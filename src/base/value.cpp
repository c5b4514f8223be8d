#include "petri/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>
#include <utility>

#include "base/name_table.h"
#include "base/text/byte_text.h"
#include "base/text/escape.h"

namespace petri {
namespace {

constexpr NameTable<6> kTypes{"i32", "i64", "f32", "f64", "funcref", "externref"};
static_assert(static_cast<std::size_t>(ValueType::externref) + 1 == kTypes.size());

// How IEEE 754 lays out one width of number.
struct FloatLayout {
  unsigned fraction_bits;
  unsigned sign_bit;
  std::uint64_t fraction_mask() const { return (std::uint64_t{1} << fraction_bits) - 1; }
  std::uint64_t canonical_payload() const { return std::uint64_t{1} << (fraction_bits - 1); }
  std::uint64_t exponent_mask() const {
    return ((std::uint64_t{1} << (sign_bit - fraction_bits)) - 1) << fraction_bits;
  }
};
constexpr FloatLayout kFloat32{23, 31};
constexpr FloatLayout kFloat64{52, 63};

std::string list_of(const std::vector<ValueType>& types) {
  std::string text;
  for (const ValueType type : types) {
    if (!text.empty()) text += ' ';
    text += name_of(type);
  }
  return text;
}

std::string nan_text(std::uint64_t bits, FloatLayout layout) {
  const std::string_view sign = (bits >> layout.sign_bit) != 0 ? "-" : "";
  const std::uint64_t payload = bits & layout.fraction_mask();
  if (payload == layout.canonical_payload()) return fmt::format("{}nan", sign);
  return fmt::format("{}nan:{:#x}", sign, payload);
}

template <typename Float>
std::string float_text(Float number, std::uint64_t bits, FloatLayout layout) {
  if (std::isnan(number)) return nan_text(bits, layout);
  std::array<char, 64> buffer;
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return std::string(buffer.data(), end.ptr);
}

// A number's text taken apart: "-0x1f" is negative, hexadecimal, "1f".
struct NumberText {
  bool negative = false;
  bool hexadecimal = false;
  std::string_view digits;
};

NumberText take_apart(std::string_view text) {
  NumberText parts;
  if (text.starts_with('-') || text.starts_with('+')) {
    parts.negative = text.front() == '-';
    text.remove_prefix(1);
  }
  if (text.starts_with("0x") || text.starts_with("0X")) {
    parts.hexadecimal = true;
    text.remove_prefix(2);
  }
  parts.digits = text;
  return parts;
}

std::unexpected<Error> refuse(std::string_view text, ValueType type, std::string_view why) {
  return fail(ErrorCode::validation_failed,
              fmt::format("\"{}\" cannot be an {}: {}", escape_text(text, 80), name_of(type), why));
}

template <typename Number>
std::errc read_all(std::string_view digits, Number& out, auto base_or_format) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out, base_or_format);
  if (error != std::errc()) return error;
  return end == digits.data() + digits.size() ? std::errc() : std::errc::invalid_argument;
}

// Decimal numbers have the signed range. Hexadecimal ones may also spell the bits of the unsigned range, as in wat.
template <typename Signed>
Result<Value> parse_integer(std::string_view text, ValueType type) {
  const NumberText parts = take_apart(text);
  std::uint64_t magnitude = 0;
  const std::errc error = read_all(parts.digits, magnitude, parts.hexadecimal ? 16 : 10);
  if (error == std::errc::invalid_argument) return refuse(text, type, "it is not an integer");

  using Unsigned = std::make_unsigned_t<Signed>;
  constexpr std::uint64_t kSignedMax = std::numeric_limits<Signed>::max();
  const std::uint64_t bits_max = std::numeric_limits<Unsigned>::max();
  const std::uint64_t max = parts.negative ? kSignedMax + 1 : parts.hexadecimal ? bits_max : kSignedMax;
  if (error != std::errc() || magnitude > max) {
    return refuse(text, type, fmt::format("it lies outside {} to {}", std::numeric_limits<Signed>::min(), kSignedMax));
  }
  return Value::from_bits(type, parts.negative ? std::uint64_t{0} - magnitude : magnitude);
}

std::optional<std::uint64_t> nan_payload(std::string_view digits, FloatLayout layout) {
  if (digits == "nan") return layout.canonical_payload();
  if (!digits.starts_with("nan:0x")) return std::nullopt;
  std::uint64_t payload = 0;
  const bool read = read_all(digits.substr(6), payload, 16) == std::errc();
  if (!read || payload == 0 || payload > layout.fraction_mask()) return std::nullopt;
  return payload;
}

template <typename Float>
Result<Value> parse_float(std::string_view text, ValueType type, FloatLayout layout) {
  const NumberText parts = take_apart(text);
  const std::uint64_t sign = parts.negative ? std::uint64_t{1} << layout.sign_bit : 0;
  if (parts.digits == "inf") return Value::from_bits(type, sign | layout.exponent_mask());
  if (const auto payload = nan_payload(parts.digits, layout)) {
    return Value::from_bits(type, sign | layout.exponent_mask() | *payload);
  }
  // std::from_chars would also take a second sign and longer spellings of infinity and NaN.
  const bool numeric =
      !parts.digits.empty() && (parts.digits.front() == '.' || std::isxdigit(parts.digits.front()) != 0);
  Float number = 0;
  const auto format = parts.hexadecimal ? std::chars_format::hex : std::chars_format::general;
  const std::errc error = numeric ? read_all(parts.digits, number, format) : std::errc::invalid_argument;
  if (error == std::errc::result_out_of_range) return refuse(text, type, "it is too large or too close to zero");
  if (error != std::errc()) return refuse(text, type, "it is not a number");
  return Value(parts.negative ? -number : number);
}

// The float that is exactly this integer, if there is one. Every integer is in the range of both widths.
template <typename Float, typename Integer>
std::optional<Value> exact_float(Integer number) {
  const auto converted = static_cast<Float>(number);
  // One beyond the integer's range, which the largest ones round to, cannot be cast back.
  constexpr auto kBound = static_cast<Float>(std::uint64_t{1} << 32) * static_cast<Float>(std::uint64_t{1} << 31);
  const Float bound = std::is_signed_v<Integer> ? kBound : 2 * kBound;
  if (converted >= bound || static_cast<Integer>(converted) != number) return std::nullopt;
  return Value(converted);
}

template <typename Integer>
std::optional<Value> integer_as(Integer number, ValueType type) {
  switch (type) {
    case ValueType::i32:
      if (!std::in_range<std::int32_t>(number)) return std::nullopt;
      return Value(static_cast<std::int32_t>(number));
    case ValueType::i64:
      if (!std::in_range<std::int64_t>(number)) return std::nullopt;
      return Value(static_cast<std::int64_t>(number));
    case ValueType::f32: return exact_float<float>(number);
    case ValueType::f64: return exact_float<double>(number);
    case ValueType::funcref:
    case ValueType::externref: return std::nullopt;
  }
  PETRI_UNREACHABLE();
}

}  // namespace

std::string Sha256::hex() const { return to_hex(bytes); }
std::optional<Sha256> Sha256::from_hex(std::string_view digits) {
  Sha256 hash;
  const auto read = petri::from_hex(digits);
  if (!read || read->size() != hash.bytes.size()) return std::nullopt;
  std::ranges::copy(*read, hash.bytes.begin());
  return hash;
}
std::ostream& operator<<(std::ostream& out, const Sha256& hash) { return out << hash.hex(); }

std::optional<Value> Value::converted(ValueType type) const {
  if (type == type_) return *this;
  switch (type_) {
    case ValueType::i32:
      return unsigned_ ? integer_as(static_cast<std::uint64_t>(bits_), type) : integer_as(std::int64_t{i32()}, type);
    case ValueType::i64: return unsigned_ ? integer_as(bits_, type) : integer_as(i64(), type);
    case ValueType::f32:
      if (type != ValueType::f64 || std::isnan(f32())) return std::nullopt;  // a NaN's payload has another width
      return Value(static_cast<double>(f32()));
    case ValueType::f64:
    case ValueType::funcref:
    case ValueType::externref: return std::nullopt;
  }
  PETRI_UNREACHABLE();
}

std::ostream& operator<<(std::ostream& out, const Value& value) { return out << to_text(value); }
std::ostream& operator<<(std::ostream& out, const Signature& signature) { return out << to_text(signature); }

std::string_view name_of(ValueType type) { return name_in(kTypes, type); }

std::string to_text(const Signature& signature) {
  const bool one_result = signature.results.size() == 1;
  const std::string results = list_of(signature.results);
  return fmt::format("({}) -> {}", list_of(signature.params), one_result ? results : "(" + results + ")");
}

std::string to_text(Value value) {
  switch (value.type()) {
    case ValueType::i32: return fmt::format("{}", value.i32());
    case ValueType::i64: return fmt::format("{}", value.i64());
    case ValueType::f32: return float_text(value.f32(), value.bits(), kFloat32);
    case ValueType::f64: return float_text(value.f64(), value.bits(), kFloat64);
    case ValueType::funcref:
    case ValueType::externref: return value.bits() == 0 ? "null" : "reference";
  }
  PETRI_UNREACHABLE();
}

Result<Value> parse_value(std::string_view text, ValueType type) {
  switch (type) {
    case ValueType::i32: return parse_integer<std::int32_t>(text, type);
    case ValueType::i64: return parse_integer<std::int64_t>(text, type);
    case ValueType::f32: return parse_float<float>(text, type, kFloat32);
    case ValueType::f64: return parse_float<double>(text, type, kFloat64);
    case ValueType::funcref:
    case ValueType::externref: return refuse(text, type, "references have no text");
  }
  PETRI_UNREACHABLE();
}

}  // namespace petri
