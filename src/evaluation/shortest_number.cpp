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

constexpr std::size_t kRoom = 32;

constexpr std::array<std::uint64_t, 18> make_powers() {
  std::array<std::uint64_t, 18> powers{1};
  for (std::size_t index = 1; index < powers.size(); ++index) powers[index] = powers[index - 1] * 10;
  return powers;
}
constexpr std::array<std::uint64_t, 18> kPowersOfTen = make_powers();

constexpr std::array<char, 200> make_pairs() {
  std::array<char, 200> pairs{};
  for (std::size_t number = 0; number < 100; ++number) {
    pairs[2 * number] = static_cast<char>('0' + number / 10);
    pairs[2 * number + 1] = static_cast<char>('0' + number % 10);
  }
  return pairs;
}
constexpr std::array<char, 200> kPairs = make_pairs();

// Of numbers from 1 on, with at most 17 digits.
std::size_t count_digits(std::uint64_t number) {
  const auto about = static_cast<std::size_t>(std::bit_width(number)) * 1'233 >> 12;  // times log10(2)
  return about + (number >= kPowersOfTen[about] ? 1 : 0);
}

char* write_digits(char* out, std::uint64_t number, std::size_t count) {
  char* const end = out + count;
  for (out = end; count >= 2; count -= 2, number /= 100) std::memcpy(out -= 2, &kPairs[2 * (number % 100)], 2);
  if (count == 1) *--out = static_cast<char>('0' + number);
  return end;
}

// 0.00123: the digits stand behind a point and `zeros`, of which there are at most three.
char* write_small(char* out, std::uint64_t digits, std::size_t count, std::size_t zeros) {
  std::memcpy(out, "0.000", 5);
  return write_digits(out + 2 + zeros, digits, count);
}

// 12.3: the point stands behind the first digits.
char* write_split(char* out, std::uint64_t digits, std::size_t count, std::size_t before) {
  const std::uint64_t power = kPowersOfTen[count - before];
  out = write_digits(out, digits / power, before);
  *out++ = '.';
  return write_digits(out, digits % power, count - before);
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
