#include "evaluation/shortest_number.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace petri {
namespace {

constexpr std::size_t kRoom = 40;  // a sign may have been written

constexpr std::array<std::uint64_t, 18> make_powers() {
  std::array<std::uint64_t, 18> powers{1};
  for (std::size_t index = 1; index < powers.size(); ++index) powers[index] = powers[index - 1] * 10;
  return powers;
}
constexpr std::array<std::uint64_t, 18> kPowersOfTen = make_powers();

// Of numbers from 1 on, with at most 17 digits.
std::size_t count_digits(std::uint64_t number) {
  const auto about = static_cast<std::size_t>(std::bit_width(number)) * 1'233 >> 12;  // times log10(2)
  return about + (number >= kPowersOfTen[about] ? 1 : 0);
}

// Eight digits as text, the first at the lowest address: halves, quarters and eighths of the word at once.
std::uint64_t eight_digits(std::uint64_t number) {
  const std::uint64_t fours = number / 10'000 | number % 10'000 << 32;
  const std::uint64_t hundreds = (fours * 10'486 >> 20) & 0x0000'007f'0000'007f;
  const std::uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
  const std::uint64_t tens = (twos * 103 >> 10) & 0x000f'000f'000f'000f;
  return (tens | (twos - tens * 10) << 8) | 0x3030'3030'3030'3030;
}

// The digits of a number, of which there are at most 17. They are copied kPiece at a time, whatever their count: what
// is too much is written over or behind the end.
class Digits {
 public:
  static constexpr std::size_t kPiece = 24;

  Digits(std::uint64_t number, std::size_t count) : start_(text_.data() + kPiece - count) {
    constexpr std::uint64_t kEight = 100'000'000;
    const std::uint64_t upper = number / kEight;
    const std::uint64_t last = eight_digits(number % kEight);
    const std::uint64_t middle = eight_digits(upper % kEight);
    text_[kPiece - 17] = static_cast<char>('0' + upper / kEight);
    std::memcpy(&text_[kPiece - 16], &middle, sizeof(middle));
    std::memcpy(&text_[kPiece - 8], &last, sizeof(last));
  }
  Digits(const Digits&) = delete;
  Digits& operator=(const Digits&) = delete;

  void copy_from(std::size_t digit, char* out) const { std::memcpy(out, start_ + digit, kPiece); }

 private:
  std::array<char, 2 * kPiece> text_{};
  const char* start_;
};

// 0.00123: the digits stand behind a point and `zeros`, of which there are at most three.
char* write_small(char* out, std::uint64_t digits, std::size_t count, std::size_t zeros) {
  std::memcpy(out, "0.000", 5);  // NOLINT(bugprone-not-null-terminated-result): others follow
  Digits(digits, count).copy_from(0, out + 2 + zeros);
  return out + 2 + zeros + count;
}

// 12.3: the point stands behind the first digits.
char* write_split(char* out, std::uint64_t number, std::size_t count, std::size_t before) {
  const Digits digits(number, count);
  digits.copy_from(0, out);
  out[before] = '.';
  digits.copy_from(before, out + before + 1);
  return out + count + 1;
}

// Numbers that are shorter with their zeros than with an exponent; std::to_chars has the rule. The digits themselves
// are found by fmt's Dragonbox, which is what makes this quick.
template <typename Float>
char* write_number(Float number, char* out) {
  if (std::signbit(number)) *out++ = '-';
  const Float magnitude = std::abs(number);
  if (magnitude == 0) {
    *out++ = '0';
    return out;
  }
  const auto decimal = fmt::detail::dragonbox::to_decimal(magnitude);
  const std::size_t count = count_digits(decimal.significand);
  const int before = static_cast<int>(count) + decimal.exponent;  // digits before the point
  if (decimal.exponent < 0 && before > 0) {
    return write_split(out, decimal.significand, count, static_cast<std::size_t>(before));
  }
  const int zeros_max = count == 1 ? 2 : 3;
  if (before <= 0 && -before <= zeros_max) {
    return write_small(out, decimal.significand, count, static_cast<std::size_t>(-before));
  }
  return std::to_chars(out, out + kRoom, magnitude).ptr;
}

}  // namespace

char* write_shortest(double number, char* out) { return write_number(number, out); }
char* write_shortest(float number, char* out) { return write_number(number, out); }

}  // namespace petri
