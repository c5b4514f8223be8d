#include "base/text/units.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>

#include "base/text/escape.h"

namespace petri {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t size;
};

constexpr std::array<Unit, 6> kByteUnits{
    {{"", 1}, {"B", 1}, {"KiB", 1ULL << 10}, {"MiB", 1ULL << 20}, {"GiB", 1ULL << 30}, {"TiB", 1ULL << 40}}};

constexpr std::array<Unit, 7> kTimeUnits{{{"ns", 1},
                                          {"us", 1'000},
                                          {"µs", 1'000},
                                          {"ms", 1'000'000},
                                          {"s", 1'000'000'000},
                                          {"min", 60'000'000'000},
                                          {"h", 3'600'000'000'000}}};

// A kind of quantity: its units, and its noun for error messages.
struct Quantity {
  std::string_view noun;
  std::string_view example;
  std::span<const Unit> units;
  std::uint64_t max;
};

std::unexpected<Error> refuse(std::string_view text, const Quantity& quantity, std::string_view why) {
  return fail(ErrorCode::validation_failed, fmt::format("\"{}\" is not a {}: {}; write it like {}",
                                                        escape_text(text, 80), quantity.noun, why, quantity.example));
}

// The digits of "1.5GiB": whole part, fraction, and how many digits the fraction has.
struct Decimal {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  std::size_t fraction_digits = 0;
  std::size_t length = 0;  // of the text that was read
};

constexpr std::string_view kDigits = "0123456789";
constexpr std::size_t kFractionDigitsMax = 18;

std::string_view digits_of(std::string_view text) { return text.substr(0, text.find_first_not_of(kDigits)); }

std::optional<std::uint64_t> read_digits(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

std::optional<Decimal> read_decimal(std::string_view text) {
  const std::string_view whole = digits_of(text);
  const std::string_view rest = text.substr(whole.size());
  Decimal decimal{.length = whole.size()};
  const auto number = read_digits(whole);
  if (!number) return std::nullopt;
  decimal.whole = *number;
  if (!rest.starts_with('.')) return decimal;

  const std::string_view fraction = digits_of(rest.substr(1));
  if (fraction.empty() || fraction.size() > kFractionDigitsMax) return std::nullopt;
  decimal.fraction = *read_digits(fraction);
  decimal.fraction_digits = fraction.size();
  decimal.length += 1 + fraction.size();
  return decimal;
}

// decimal × unit, or nothing when that is not an integer of at most `max`.
std::optional<std::uint64_t> multiply(const Decimal& decimal, std::uint64_t unit, std::uint64_t max) {
  using Wide = unsigned __int128;
  Wide scale = 1;
  for (std::size_t i = 0; i < decimal.fraction_digits; ++i) scale *= 10;
  const Wide part = Wide{decimal.fraction} * unit;
  const Wide total = Wide{decimal.whole} * unit + part / scale;
  if (part % scale != 0 || total > max) return std::nullopt;
  return static_cast<std::uint64_t>(total);
}

Result<std::uint64_t> parse_quantity(std::string_view text, const Quantity& quantity) {
  const bool starts_with_digit = !digits_of(text).empty();
  const auto decimal = read_decimal(text);
  if (!decimal)
    return refuse(text, quantity, starts_with_digit ? "the number is too long" : "it must start with a digit");
  std::string_view unit_name = text.substr(decimal->length);
  if (unit_name.starts_with(' ')) unit_name.remove_prefix(1);
  if (unit_name.empty() && decimal->whole == 0 && decimal->fraction == 0) return std::uint64_t{0};

  for (const Unit& unit : quantity.units) {
    if (unit.name != unit_name) continue;
    if (const auto number = multiply(*decimal, unit.size, quantity.max)) return *number;
    return refuse(text, quantity, "it is too large or not an integer of the smallest unit");
  }
  return refuse(text, quantity, unit_name.empty() ? "the unit is missing" : "the unit is not known");
}

// "1,000,000" and "1_000_000" as "1000000"; nothing where a separator does not stand between groups of three digits.
std::optional<std::string> without_separators(std::string_view text) {
  const std::size_t first = text.find_first_of(",_");
  if (first == std::string_view::npos) return std::string(text);
  if (first == 0 || first > 3 || digits_of(text).size() != first) return std::nullopt;
  std::string plain(text.substr(0, first));
  for (std::string_view rest = text.substr(first); !rest.empty(); rest.remove_prefix(4)) {
    const bool group = rest.front() == text[first] && digits_of(rest.substr(1, 3)).size() == 3;
    if (!group) return std::nullopt;
    plain.append(rest.substr(1, 3));
  }
  return plain;
}

// The power of ten that the end of a count stands for: "k", "M", "G", "e6".
std::optional<std::uint64_t> power_of_ten(std::string_view suffix) {
  constexpr std::uint64_t kExponentMax = 19;
  if (suffix.empty()) return 0;
  if (suffix == "k" || suffix == "K") return 3;
  if (suffix == "M") return 6;
  if (suffix == "G") return 9;
  if (suffix.front() != 'e' && suffix.front() != 'E') return std::nullopt;
  const auto exponent = read_digits(suffix.substr(1));
  return exponent && *exponent <= kExponentMax ? exponent : std::nullopt;
}

// "1.5M" as 1500000; nothing where that is no integer or does not fit.
std::optional<std::uint64_t> scaled_count(std::string_view text) {
  const auto decimal = read_decimal(text);
  const auto power = decimal ? power_of_ten(text.substr(decimal->length)) : std::nullopt;
  if (!power) return std::nullopt;
  std::uint64_t scale = 1;
  for (std::uint64_t i = 0; i < *power; ++i) scale *= 10;
  return multiply(*decimal, scale, std::numeric_limits<std::uint64_t>::max());
}

// At most three digits, no trailing zeros: 1.5, 12.3, 512.
std::string short_number(double number) {
  const int decimals = number < 9.995 ? 2 : number < 99.95 ? 1 : 0;
  std::string text = fmt::format("{:.{}f}", number, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

// "1 min 59 s", "1 h 30 min": whole seconds, without the parts that are 0.
std::string in_whole_seconds(std::uint64_t seconds) {
  std::string text;
  const auto add = [&text](std::uint64_t number, std::string_view unit) {
    if (number > 0) text += fmt::format("{}{} {}", text.empty() ? "" : " ", number, unit);
  };
  add(seconds / 3'600, "h");
  add(seconds / 60 % 60, "min");
  add(seconds % 60, "s");
  return text;
}

}  // namespace

Result<std::uint64_t> parse_bytes(std::string_view text) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
  return parse_quantity(text, {"size", "16MiB (units B, KiB, MiB, GiB, TiB)", kByteUnits, kMax});
}

Result<std::chrono::nanoseconds> parse_duration(std::string_view text) {
  constexpr std::uint64_t kMax = std::numeric_limits<std::int64_t>::max();
  PETRI_TRY(const auto nanoseconds,
            parse_quantity(text, {"duration", "50ms (units ns, us, ms, s, min, h)", kTimeUnits, kMax}));
  return std::chrono::nanoseconds(nanoseconds);
}

Result<std::uint64_t> parse_count(std::string_view text) {
  const auto plain = without_separators(text);
  const auto number = plain ? scaled_count(*plain) : std::nullopt;
  if (number) return *number;
  return fail(ErrorCode::validation_failed, fmt::format("\"{}\" is not an integer from 0 to {}", escape_text(text, 80),
                                                        std::numeric_limits<std::uint64_t>::max()));
}

std::string format_bytes(std::uint64_t bytes) {
  std::size_t unit = 1;
  while (unit + 1 < kByteUnits.size() && bytes >= kByteUnits[unit + 1].size) ++unit;
  const Unit& chosen = kByteUnits[unit];
  if (bytes % chosen.size == 0) return fmt::format("{} {}", bytes / chosen.size, chosen.name);
  return fmt::format("{} {}", short_number(static_cast<double>(bytes) / static_cast<double>(chosen.size)), chosen.name);
}

std::string format_duration(std::chrono::nanoseconds duration) {
  if (duration.count() < 0) return "-" + format_duration(-duration);
  const auto ns = static_cast<std::uint64_t>(duration.count());
  if (ns == 0) return "0 s";
  if (ns >= 60'000'000'000) return in_whole_seconds(ns / 1'000'000'000);
  const auto number = static_cast<double>(ns);
  if (ns < 1'000) return fmt::format("{} ns", ns);
  if (number < 999.5e3) return short_number(number / 1e3) + " µs";
  if (number < 999.5e6) return short_number(number / 1e6) + " ms";
  return short_number(number / 1e9) + " s";
}

std::string format_count(std::uint64_t count) {
  std::string text = std::to_string(count);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace petri
