#include "evaluation/shortest_number.h"

#include <gtest/gtest.h>

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace petri {
namespace {

template <typename Float>
std::string standard(Float number) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof(text), number).ptr};
}

template <typename Float>
std::string written(Float number) {
  char text[64];
  return {text, write_shortest(number, text)};
}

template <typename Float>
void expect_standard(Float number) {
  if (!std::isfinite(number)) return;
  ASSERT_EQ(written(number), standard(number)) << std::hexfloat << number;
}

TEST(ShortestNumber, IsWhatTheStandardLibraryWrites) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200'000; ++round) {
    const std::uint64_t bits = random();
    expect_standard(std::bit_cast<double>(bits));
    expect_standard(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    // Of ordinary size, and with few digits.
    const double ordinary =
        std::ldexp(static_cast<double>(static_cast<std::int64_t>(bits)), -40 - static_cast<int>(bits % 50));
    expect_standard(ordinary);
    expect_standard(static_cast<float>(ordinary));
    expect_standard(static_cast<double>(static_cast<std::int32_t>(bits)) /
                    std::pow(10.0, static_cast<double>(bits % 12)));
    expect_standard(static_cast<double>(static_cast<std::int64_t>(bits >> (bits % 64))));
  }
}

TEST(ShortestNumber, IsRightAtTheEnds) {
  using Limits = std::numeric_limits<double>;
  for (const double number : {0.0,           -0.0,
                              1.0,           10.0,
                              100'000.0,     1e15,
                              1e16,          1e17,
                              1e22,          0.1,
                              0.01,          0.001,
                              0.0001,        0.00012,
                              0.000123,      1e-5,
                              1e-7,          9'007'199'254'740'993.0,
                              123'456.5,     Limits::max(),
                              Limits::min(), Limits::denorm_min()}) {
    expect_standard(number);
    expect_standard(-number);
    expect_standard(static_cast<float>(number));
  }
}

}  // namespace
}  // namespace petri
