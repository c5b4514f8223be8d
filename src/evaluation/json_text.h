// Writes pieces of JSON where there is room enough already. What has to be escaped comes here escaped.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>

#include "evaluation/base64.h"
#include "evaluation/shortest_number.h"
#include "petri/value.h"

namespace petri {

class JsonText {
 public:
  // Room for a value or an integer, with its comma.
  static constexpr std::size_t kNumberBytesMax = 50;

  explicit JsonText(char* cursor) : cursor_(cursor) {}
  char* cursor() const { return cursor_; }

  void raw(std::string_view text) {
    std::memcpy(cursor_, text.data(), text.size());
    cursor_ += text.size();
  }
  void quoted(std::string_view plain) {
    *cursor_++ = '"';
    raw(plain);
    *cursor_++ = '"';
  }
  template <typename Integer>
  void integer(Integer value) {
    cursor_ = std::to_chars(cursor_, cursor_ + kNumberBytesMax, value).ptr;
  }
  void hex(std::span<const std::uint8_t> bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    *cursor_++ = '"';
    for (const std::uint8_t byte : bytes) {
      cursor_[0] = kDigits[byte >> 4];
      cursor_[1] = kDigits[byte & 15];
      cursor_ += 2;
    }
    *cursor_++ = '"';
  }
  void base64(std::span<const std::uint8_t> bytes) {
    *cursor_++ = '"';
    cursor_ = write_base64(bytes, cursor_);
    *cursor_++ = '"';
  }
  // Each a field after another one.
  void quoted_field(std::string_view name, std::string_view plain) {
    key(name);
    quoted(plain);
  }
  template <typename Integer>
  void integer_field(std::string_view name, Integer value) {
    key(name);
    integer(value);
  }
  void hex_field(std::string_view name, std::span<const std::uint8_t> bytes) {
    key(name);
    hex(bytes);
  }
  void key(std::string_view name) {
    raw(",\"");
    raw(name);
    raw("\":");
  }
  // The shortest text that reads back to the same bits. What JSON has no number for is a string: "nan", "-inf".
  void value(Value value) {
    switch (value.type()) {
      case ValueType::i32: return integer(value.i32());
      case ValueType::i64: return integer(value.i64());
      case ValueType::f32: return real(value.f32(), value);
      default: return real(value.f64(), value);
    }
  }
  void real(double number) { real(number, Value(number)); }

 private:
  template <typename Float>
  void real(Float number, Value value) {
    if (!std::isfinite(number)) return quoted(to_text(value));
    // Readers take -0 for an integer, which has no sign.
    if (number == 0) return raw(std::signbit(number) ? "-0.0" : "0");
    cursor_ = write_shortest(number, cursor_);
  }

  char* cursor_;
};

}  // namespace petri
