// Writes pieces of JSON at the end of a text. What has to be escaped comes here escaped.
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>

#include "base/text/byte_text.h"
#include "petri/value.h"

namespace petri {

class JsonLine {
 public:
  explicit JsonLine(std::string& out) : out_(out) {}

  void raw(std::string_view text) { out_ += text; }
  void quoted(std::string_view plain) { out_.append(1, '"').append(plain) += '"'; }
  template <typename Number>
  void number(Number value) {
    char digits[32];
    out_.append(digits, std::to_chars(digits, std::end(digits), value).ptr);
  }
  void hex(std::span<const std::uint8_t> bytes) {
    out_ += '"';
    append_hex(out_, bytes);
    out_ += '"';
  }
  void base64(std::span<const std::uint8_t> bytes) {
    out_ += '"';
    append_base64(out_, bytes);
    out_ += '"';
  }
  template <typename Range, typename Write>
  void list(const Range& items, Write write) {
    const std::size_t begin = out_.size();
    for (const auto& item : items) {
      out_ += out_.size() == begin ? '[' : ',';
      write(item);
    }
    if (out_.size() == begin) out_ += '[';
    out_ += ']';
  }
  // Each a field after another one.
  void key(std::string_view name) { out_.append(",\"").append(name).append("\":"); }
  void quoted_field(std::string_view name, std::string_view plain) {
    key(name);
    quoted(plain);
  }
  template <typename Integer>
  void integer_field(std::string_view name, Integer value) {
    key(name);
    number(value);
  }
  void hex_field(std::string_view name, std::span<const std::uint8_t> bytes) {
    key(name);
    hex(bytes);
  }
  void base64_field(std::string_view name, std::span<const std::uint8_t> bytes) {
    key(name);
    base64(bytes);
  }
  // The shortest text that reads back to the same bits. What JSON has no number for is a string: "nan", "-inf".
  void value(Value value) {
    switch (value.type()) {
      case ValueType::i32: return number(value.i32());
      case ValueType::i64: return number(value.i64());
      case ValueType::f32: return real(value.f32(), value);
      default: return real(value.f64(), value);
    }
  }
  void real(double number) { real(number, Value(number)); }

 private:
  template <typename Float>
  void real(Float bare, Value value) {
    if (!std::isfinite(bare)) return quoted(to_text(value));
    // Readers take -0 for an integer, which has no sign.
    if (bare == 0) return raw(std::signbit(bare) ? "-0.0" : "0");
    number(bare);
  }

  std::string& out_;
};

}  // namespace petri
