#include "base/text/units.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace petri {
namespace {

using namespace std::chrono_literals;

TEST(ParseBytes, ReadsNumbersAndUnits) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("65536"), 65'536U);
  EXPECT_EQ(parse_bytes("10B"), 10U);
  EXPECT_EQ(parse_bytes("64KiB"), 65'536U);
  EXPECT_EQ(parse_bytes("16 MiB"), 16U << 20);
  EXPECT_EQ(parse_bytes("1TiB"), std::uint64_t{1} << 40);
  EXPECT_EQ(parse_bytes("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
}

TEST(ParseBytes, TakesAFractionWhereTheResultIsWhole) {
  EXPECT_EQ(parse_bytes("1.5KiB"), 1'536U);
  EXPECT_EQ(parse_bytes("0.25MiB"), 262'144U);
  EXPECT_FALSE(parse_bytes("1.3B"));
  EXPECT_FALSE(parse_bytes("0.0001KiB"));
}

TEST(ParseBytes, RefusesTheRestInASentence) {
  for (const std::string_view text :
       {"", "MiB", "-1", "16MB", "16mib", "16  MiB", "16MiB ", " 16", "1e3", "0x10", "1.", ".5KiB", "1..5B",
        "18446744073709551616", "16777216TiB", "99999999999999999999999", "0 x"}) {
    const auto bytes = parse_bytes(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().code, ErrorCode::validation_failed);
    EXPECT_NE(bytes.error().message.find("\"" + std::string(text) + "\" is not a size"), std::string::npos);
  }
  EXPECT_EQ(parse_bytes("16MB").error().message,
            "\"16MB\" is not a size: the unit is not known; write it like 16MiB (units B, KiB, MiB, GiB, TiB)");
}

TEST(ParseDuration, ReadsNumbersWithUnits) {
  EXPECT_EQ(parse_duration("50ms"), 50ms);
  EXPECT_EQ(parse_duration("2s"), 2s);
  EXPECT_EQ(parse_duration("1h"), 1h);
  EXPECT_EQ(parse_duration("5 min"), 5min);
  EXPECT_EQ(parse_duration("7us"), 7us);
  EXPECT_EQ(parse_duration("7µs"), 7us);
  EXPECT_EQ(parse_duration("9ns"), 9ns);
  EXPECT_EQ(parse_duration("1.5s"), 1'500ms);
  EXPECT_EQ(parse_duration("0"), 0ns);
}

TEST(ParseDuration, RefusesTheRestInASentence) {
  for (const std::string_view text :
       {"", "ms", "-5ms", "5 m", "5days", "1.5ns", "9223372036854775808ns", "3000000h", "nan", "5ms5"}) {
    EXPECT_FALSE(parse_duration(text)) << text;
  }
  EXPECT_EQ(parse_duration("50").error().message,
            "\"50\" is not a duration: the unit is missing; write it like 50ms (units ns, us, ms, s, min, h)");
}

TEST(ParseCount, ReadsDigitsInGroupsAndPowersOfTen) {
  for (const std::string_view text : {"1000000", "1,000,000", "1_000_000", "1M", "1e6", "1000k", "0.001G", "1E6"})
    EXPECT_EQ(parse_count(text), 1'000'000U) << text;
  EXPECT_EQ(parse_count("1.5k"), 1'500U);
  EXPECT_EQ(parse_count("1e19"), 10'000'000'000'000'000'000U);
  EXPECT_EQ(parse_count("10000"), 10'000U);
  EXPECT_EQ(parse_count("18446744073709551615"), std::numeric_limits<std::uint64_t>::max());
  for (const std::string_view text : {"", "-1", "+1", "1.5", "1,00", "1_000,000", ",000", "1000,000", "1 000", "0x10",
                                      "18446744073709551616", "1e20", "e6", "1e", "1.5e", "1MM", "M", "1.5e0"}) {
    EXPECT_FALSE(parse_count(text)) << text;
  }
}

TEST(Units, EscapeWhatTheyQuote) {
  EXPECT_NE(parse_bytes("\x1b[m").error().message.find("\\x1b[m"), std::string::npos);
  EXPECT_LT(parse_count(std::string(10'000, 'x')).error().message.size(), 200U);
}

TEST(FormatBytes, IsShortAndExactWhereItCanBe) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1'000), "1000 B");
  EXPECT_EQ(format_bytes(64 << 10), "64 KiB");
  EXPECT_EQ(format_bytes((3 << 20) / 2), "1.5 MiB");
  EXPECT_EQ(format_bytes(std::uint64_t{1} << 40), "1 TiB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::uint64_t>::max()), "16777216 TiB");
}

TEST(FormatDuration, ChoosesTheUnit) {
  EXPECT_EQ(format_duration(0ns), "0 s");
  EXPECT_EQ(format_duration(950ns), "950 ns");
  EXPECT_EQ(format_duration(4'200ns), "4.2 µs");
  EXPECT_EQ(format_duration(50ms), "50 ms");
  EXPECT_EQ(format_duration(999'999us), "1 s");
  EXPECT_EQ(format_duration(1'500ms), "1.5 s");
  EXPECT_EQ(format_duration(2min), "2 min");
  EXPECT_EQ(format_duration(77s), "1 min 17 s");
  EXPECT_EQ(format_duration(119s), "1 min 59 s");
  EXPECT_EQ(format_duration(119'900ms), "1 min 59 s");
  EXPECT_EQ(format_duration(3'601s), "1 h 1 s");
  EXPECT_EQ(format_duration(90min), "1 h 30 min");
  EXPECT_EQ(format_duration(1h), "1 h");
  EXPECT_EQ(format_duration(-50ms), "-50 ms");
}

TEST(FormatCount, GroupsItsDigits) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1'000), "1,000");
  EXPECT_EQ(format_count(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace petri
