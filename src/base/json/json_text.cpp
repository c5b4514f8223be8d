#include "base/json/json_text.h"

#include <fmt/format.h>
#include <locale.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/text/byte_text.h"
#include "base/text/utf8.h"

namespace petri {
namespace {

using nlohmann::json;

constexpr std::size_t kBytesBetweenQuestions = 4'096;
// No double needs a third of it. Converting a longer one would take longer than a piece of text.
constexpr std::size_t kNumberBytesMax = 4'096;
constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }
constexpr bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
// Stands in a string as itself and is a character alone.
constexpr bool stands_as_it_is(char c) { return static_cast<signed char>(c) >= 0x20 && c != '"' && c != '\\'; }

// The character that an escape stands for, given the one after the backslash; 0 if there is no such escape.
constexpr char escaped(char c) {
  switch (c) {
    case '"':
    case '\\':
    case '/': return c;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return 0;
  }
}

constexpr bool is_high_surrogate(char32_t unit) { return unit >= 0xd800 && unit <= 0xdbff; }
constexpr bool is_low_surrogate(char32_t unit) { return unit >= 0xdc00 && unit <= 0xdfff; }

// Uses the "C" locale, because the host's locale may have another decimal point.
double to_double(std::string_view number) {
  static const locale_t c_locale = ::newlocale(LC_ALL_MASK, "C", nullptr);
  return ::strtod_l(std::string(number).c_str(), nullptr, c_locale);
}

template <typename Integer>
std::optional<json> to_integer(std::string_view number) {
  Integer value{};
  if (std::from_chars(number.data(), number.data() + number.size(), value).ec != std::errc{}) return std::nullopt;
  return value;
}

}  // namespace

bool JsonText::not_json() {
  at_ = std::min(at_ + 1, text_.size());
  return builder_.refuse(JsonFaultKind::syntax, "is not JSON");
}

bool JsonText::step(std::size_t bytes) {
  since_question_ += bytes;
  if (since_question_ < kBytesBetweenQuestions || !may_continue_) return true;
  since_question_ = 0;
  if (may_continue_()) return true;
  return builder_.refuse(JsonFaultKind::stopped, "was not read to its end: its reader was stopped");
}

bool JsonText::take(char wanted) {
  if (at_end() || present() != wanted) return false;
  ++at_;
  return true;
}

// No more than a piece, so that the caller can look at the clock.
void JsonText::skip_spaces() {
  const std::size_t end = std::min(text_.size(), at_ + kBytesBetweenQuestions);
  while (at_ < end && is_space(present())) ++at_;
}

std::size_t JsonText::skip_digits() {
  const std::size_t start = at_, end = std::min(text_.size(), at_ + kNumberBytesMax);
  while (at_ < end && is_digit(present())) ++at_;
  return at_ - start;
}

bool JsonText::read() {
  if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
  do {
    if (!read_next()) return false;
  } while (builder_.is_open() || expected_ != Expected::comma_or_end);
  while (!at_end()) {
    const std::size_t before = at_;
    skip_spaces();
    if (at_ == before) return not_json();
    if (!step(at_ - before)) return false;
  }
  return true;
}

// One token, or a piece of the space before it.
bool JsonText::read_next() {
  const std::size_t before = at_;
  skip_spaces();
  if (at_ != before) return step(at_ - before);
  if (at_end()) return not_json();
  const char first = present();
  const bool may_end = expected_ != Expected::value && expected_ != Expected::name && expected_ != Expected::colon;
  if (may_end && first == (builder_.in_list() ? ']' : '}')) return close();
  switch (expected_) {
    case Expected::value:
    case Expected::value_or_end: return read_value(first);
    case Expected::name:
    case Expected::name_or_end: {
      std::string name;
      if (!take('"')) return not_json();
      return read_string(name) && expect(Expected::colon, builder_.name(std::move(name)));
    }
    case Expected::colon: return take(':') ? expect(Expected::value, true) : not_json();
    case Expected::comma_or_end:
      return take(',') ? expect(builder_.in_list() ? Expected::value : Expected::name, true) : not_json();
  }
  return not_json();
}

bool JsonText::expect(Expected next, bool taken) {
  expected_ = next;
  return taken && step(1);
}

bool JsonText::open(json::value_t kind, Expected first) {
  ++at_;
  return expect(first, builder_.begin(kind));
}

bool JsonText::close() {
  ++at_;
  return expect(Expected::comma_or_end, builder_.end());
}

bool JsonText::read_value(char first) {
  switch (first) {
    case '[': return open(json::value_t::array, Expected::value_or_end);
    case '{': return open(json::value_t::object, Expected::name_or_end);
    case 't': return read_literal("true", true);
    case 'f': return read_literal("false", false);
    case 'n': return read_literal("null", nullptr);
    case '"': {
      std::string value;
      ++at_;
      return read_string(value) && expect(Expected::comma_or_end, builder_.value(std::move(value)));
    }
    default: return first == '-' || is_digit(first) ? read_number() : not_json();
  }
}

bool JsonText::read_literal(std::string_view literal, const json& value) {
  for (const char c : literal) {
    if (!take(c)) return not_json();
  }
  return expect(Expected::comma_or_end, builder_.value(value));
}

bool JsonText::read_number() {
  const std::size_t start = at_;
  const bool is_negative = take('-');
  bool is_integer = true;
  if (!take('0') && skip_digits() == 0) return not_json();
  if (take('.')) {
    is_integer = false;
    if (skip_digits() == 0) return not_json();
  }
  if (take('e') || take('E')) {
    is_integer = false;
    if (!take('+')) take('-');
    if (skip_digits() == 0) return not_json();
  }
  const std::string_view number = text_.substr(start, at_ - start);
  if (number.size() > kNumberBytesMax || (!at_end() && is_digit(present()) && number.size() >= kNumberBytesMax)) {
    return builder_.refuse(JsonFaultKind::number_range,
                           fmt::format("has a number of more than {} characters", kNumberBytesMax));
  }
  std::optional<json> value;
  if (is_integer) value = is_negative ? to_integer<std::int64_t>(number) : to_integer<std::uint64_t>(number);
  if (!value) value = to_double(number);
  if (value->is_number_float() && !std::isfinite(value->get<double>())) {
    return builder_.refuse(JsonFaultKind::number_range, "has a number that is too large");
  }
  return expect(Expected::comma_or_end, builder_.value(*std::move(value))) && step(number.size());
}

// From behind the quotation mark on.
bool JsonText::read_string(std::string& into) {
  while (!take('"')) {
    if (at_end()) return not_json();
    const std::size_t before = at_;
    if (!(take('\\') ? read_escape(into) : read_plain(into))) return false;
    if (!step(at_ - before)) return false;
  }
  return true;
}

// A run of plain characters, or one that takes several bytes.
bool JsonText::read_plain(std::string& into) {
  const std::string_view rest = text_.substr(at_, kBytesBetweenQuestions);
  auto length = static_cast<std::size_t>(std::ranges::find_if_not(rest, stands_as_it_is) - rest.begin());
  if (length == 0) {
    const Utf8Step character = decode_utf8(rest);
    if (!character.valid || character.bytes == 1) return not_json();
    length = character.bytes;
  }
  into.append(rest.substr(0, length));
  at_ += length;
  return true;
}

bool JsonText::read_escape(std::string& into) {
  if (at_end()) return not_json();
  if (const char itself = escaped(present())) {
    ++at_;
    into += itself;
    return true;
  }
  char32_t unit = 0;
  if (!take('u')) return not_json();
  if (!read_code_unit(unit)) return false;
  if (is_low_surrogate(unit)) return not_json();
  if (is_high_surrogate(unit)) {
    char32_t low = 0;
    if (!take('\\') || !take('u')) return not_json();
    if (!read_code_unit(low)) return false;
    if (!is_low_surrogate(low)) return not_json();
    unit = 0x10000 + ((unit - 0xd800) << 10U) + (low - 0xdc00);
  }
  append_utf8(into, unit);
  return true;
}

bool JsonText::read_code_unit(char32_t& unit) {
  for (int digit = 0; digit < 4; ++digit) {
    const auto value = at_end() ? std::nullopt : hex_digit_value(present());
    if (!value) return not_json();
    unit = unit << 4U | *value;
    ++at_;
  }
  return true;
}

}  // namespace petri
