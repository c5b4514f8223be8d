#include "cli/shell/limit_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::cli {
namespace {

TEST(LimitWords, AreReadInTheUnitOfTheirLimit) {
  EXPECT_EQ(parse_limit_changes({"memory=16MiB", "execution_time_max=50ms", "fuel=7", "processes_max=3"}),
            (LimitChanges{.execution_time_max = std::chrono::milliseconds(50),
                          .memory_bytes_max = 16U << 20,
                          .fuel_max = 7,
                          .processes_max = 3}));
}

TEST(LimitWords, ThatMakeNoSenseAreRefused) {
  const auto complaint = [](const std::string& word) { return parse_limit_changes({word}).error().message; };
  EXPECT_EQ(complaint("feul_max=1"), "there is no limit \"feul_max\"; did you mean fuel_max?");
  EXPECT_EQ(complaint("memroy=1"), "there is no limit \"memroy\"; did you mean memory?");
  EXPECT_EQ(complaint("fuel_max"), "\"fuel_max\" says no value; write fuel_max=VALUE to change it");
  EXPECT_THAT(complaint("fuel_max=many"), ::testing::StartsWith("fuel_max: "));
  EXPECT_THAT(complaint("execution_time_max=5"), ::testing::StartsWith("execution_time_max: "));
}

TEST(LimitWords, AreShownAsPeopleWriteThem) {
  const auto shown = [](std::string_view name, const SandboxLimits& limits) {
    return limit_text(*sandbox_limit_named(name), limits);
  };
  SandboxLimits limits = SandboxLimits::of(Profile::standard);
  EXPECT_EQ(shown("memory_bytes_max", limits), "128 MiB");
  EXPECT_EQ(shown("cpu_percent_max", limits), "100 %");
  EXPECT_EQ(shown("fuel_max", limits), "1,000,000,000 for runs, none for calls");
  limits.fuel_max = *(limits.call_fuel_max = 5'000);
  EXPECT_EQ(shown("fuel_max", limits), "5,000");
}

}  // namespace
}  // namespace petri::cli
