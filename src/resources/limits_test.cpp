#include "petri/limits.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>
#include <tuple>

namespace petri {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kMax64 = std::numeric_limits<std::uint64_t>::max();

TEST(Limits, HaveTheDefaultsOfMediumAndAreValid) {
  const Limits limits;
  EXPECT_EQ(limits.memory_bytes_max, 128U << 20);
  EXPECT_EQ(limits.fuel_max, 1'000'000'000U);
  EXPECT_EQ(limits.execution_time_max, 300s);
  EXPECT_EQ(limits.module_bytes_max, 5U << 20);
  EXPECT_TRUE(validate(limits));
}

TEST(LimitRules, HaveTheRangesOfTheDesign) {
  using Row = std::tuple<std::string_view, std::uint64_t, std::uint64_t>;
  const std::vector<Row> expected{{"execution_time_max", 1'000'000, 3'600'000'000'000},
                                  {"memory_bytes_max", 65'536, 1ULL << 40},
                                  {"fuel_max", 1, 1ULL << 62},
                                  {"module_bytes_max", 1'024, 100ULL << 20},
                                  {"file_bytes_max", 0, 1ULL << 40},
                                  {"files_max", 0, 1'000'000},
                                  {"disk_bytes_max", 0, 1ULL << 40},
                                  {"output_bytes_max", 0, (1ULL << 31) - 1},
                                  {"log_bytes_per_second_max", 0, 1ULL << 30},
                                  {"call_depth_max", 16, 8'192}};
  std::vector<Row> rows;
  for (const LimitRule& rule : limit_rules()) rows.emplace_back(rule.name, rule.min, rule.max);
  EXPECT_EQ(rows, expected);
}

// Q03: both ends of every range are allowed, one beyond is not.
TEST(LimitRules, AllowBothEndsAndNothingBeyond) {
  for (const LimitRule& rule : limit_rules()) {
    const auto with = [&](std::uint64_t value) {
      Limits limits;
      set_limit_value(limits, rule, value);
      return validate(limits).has_value();
    };
    EXPECT_TRUE(with(rule.min)) << rule.name;
    EXPECT_TRUE(with(rule.max)) << rule.name;
    EXPECT_FALSE(with(rule.max + 1)) << rule.name;
    EXPECT_FALSE(with(kMax64)) << rule.name;
    EXPECT_TRUE(rule.min == 0 || !with(rule.min - 1)) << rule.name;
  }
}

TEST(LimitRules, ReachAFieldEach) {
  Limits limits;
  std::uint64_t value = 1'000'000;
  for (const LimitRule& rule : limit_rules()) set_limit_value(limits, rule, value++);
  value = 1'000'000;
  for (const LimitRule& rule : limit_rules()) EXPECT_EQ(limit_value(limits, rule), value++) << rule.name;
}

// A15 Q04
TEST(Validate, ListsEveryLimitOutOfRange) {
  Limits limits;
  limits.memory_bytes_max = 1;
  limits.fuel_max = kMax64;
  limits.execution_time_max = -50ms;
  const auto refused = validate(limits);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  EXPECT_EQ(
      refused.error().message,
      "execution_time_max is -50 ms but goes from 1 ms to 1 h; memory_bytes_max is 1 B but goes from 64 KiB to 1 TiB; "
      "fuel_max is 18,446,744,073,709,551,615 but goes from 1 to 4,611,686,018,427,387,904");
  EXPECT_EQ(refused.error().details.size(), 3U);
}

TEST(SetLimit, ChangesTheOneNamed) {
  Limits limits;
  ASSERT_TRUE(set_limit(limits, "call_depth_max", 100));
  EXPECT_EQ(limits, (Limits{.call_depth_max = 100}));
}

// A15 Q04
TEST(SetLimit, RefusesAnUnknownNameAndListsTheKnownOnes) {
  Limits limits;
  const auto refused = set_limit(limits, "memory_max\n", 100);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message.find(
                "there is no limit \"memory_max\\n\" (the limits are execution_time_max, memory_bytes_max, fuel_max,"),
            0U);
  EXPECT_EQ(limits, Limits());
}

// A15 Q04
TEST(SetLimit, RefusesAValueOutOfRange) {
  Limits limits;
  EXPECT_EQ(set_limit(limits, "call_depth_max", 15).error().message, "call_depth_max is 15 but goes from 16 to 8,192");
  EXPECT_EQ(limits, Limits());
}

TEST(SetLimit, SaysExactlyWhatIsOutOfRangeByLittle) {
  Limits limits;
  EXPECT_EQ(set_limit(limits, "output_bytes_max", std::uint64_t{1} << 31).error().message,
            "output_bytes_max is 2,147,483,648 bytes but goes from 0 to 2,147,483,647");
  EXPECT_EQ(set_limit(limits, "execution_time_max", 3'600'000'000'001).error().message,
            "execution_time_max is 3,600,000,000,001 ns but goes from 1,000,000 to 3,600,000,000,000");
}

TEST(ParseLimit, ReadsTheUnitOfTheLimit) {
  EXPECT_EQ(parse_limit(*limit_named("memory_bytes_max"), "16MiB"), 16U << 20);
  EXPECT_EQ(parse_limit(*limit_named("execution_time_max"), "50ms"), 50'000'000U);
  EXPECT_EQ(parse_limit(*limit_named("fuel_max"), "10000"), 10'000U);
  EXPECT_EQ(parse_limit(*limit_named("log_bytes_per_second_max"), "1KiB"), 1'024U);
}

// A15 Q04
TEST(ParseLimit, RefusesNonsenseAndWhatIsOutOfRange) {
  for (const std::string_view text : {"0", "-1", "nan", "18446744073709551615", "", "10ms"}) {
    EXPECT_EQ(parse_limit(*limit_named("memory_bytes_max"), text).error().code, ErrorCode::validation_failed) << text;
  }
  EXPECT_FALSE(parse_limit(*limit_named("execution_time_max"), "2h"));
  EXPECT_EQ(limit_named("Memory"), nullptr);
}

TEST(FormatLimit, ShowsTheUnit) {
  EXPECT_EQ(format_limit(*limit_named("memory_bytes_max"), 1 << 20), "1 MiB");
  EXPECT_EQ(format_limit(*limit_named("execution_time_max"), 50'000'000), "50 ms");
  EXPECT_EQ(format_limit(*limit_named("log_bytes_per_second_max"), 65'536), "64 KiB/s");
  EXPECT_EQ(format_limit(*limit_named("fuel_max"), 1'000'000), "1,000,000");
}

}  // namespace
}  // namespace petri
