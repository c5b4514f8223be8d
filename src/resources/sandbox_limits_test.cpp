#include "petri/sandbox_limits.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

using testing::HasSubstr;

TEST(SandboxLimits, AreThoseOfTheProfile) {  // Q01
  EXPECT_EQ(SandboxLimits::of(Profile::high).memory_bytes_max, 64U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::high).processes_max, 50U);
  EXPECT_EQ(SandboxLimits::of(Profile::high).execution_time_max, std::chrono::seconds(60));
  EXPECT_EQ(SandboxLimits::of(Profile::high).module_bytes_max, 1U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::medium).memory_bytes_max, 128U << 20);
  EXPECT_EQ(SandboxLimits::of(Profile::low).processes_max, 200U);
  EXPECT_EQ(SandboxLimits::of(Profile::low).module_bytes_max, 10U << 20);
}

TEST(SandboxLimits, KeepWhatAChangeDoesNotName) {  // Q01
  const auto limits = with_changes(SandboxLimits::of(Profile::high), {{"processes_max", 7}});
  SandboxLimits expected = SandboxLimits::of(Profile::high);
  expected.processes_max = 7;
  EXPECT_EQ(*limits, expected);
}

TEST(SandboxLimits, HaveTheSameDefaultsInAllProfilesOtherwise) {  // Q02
  for (const Profile profile : {Profile::high, Profile::medium, Profile::low}) {
    const SandboxLimits limits = SandboxLimits::of(profile);
    EXPECT_EQ(limits.message_queue_max, 10'000U);
    EXPECT_EQ(limits.message_bytes_max, 65'536U);
    EXPECT_EQ(limits.timers_max, 1'000U);
    EXPECT_EQ(limits.file_bytes_max, 10U << 20);
    EXPECT_EQ(limits.output_bytes_max, 1U << 20);
    EXPECT_EQ(limits.log_bytes_per_second_max, 64U << 10);
    EXPECT_EQ(limits.call_depth_max, 1'024U);
    EXPECT_EQ(limits.fuel_max, 1'000'000'000U);
    EXPECT_EQ(limits.call_fuel_max, std::nullopt);
  }
}

TEST(SandboxLimits, AcceptBothEndsOfARangeAndNothingBeyond) {  // Q03
  for (const SandboxLimitRule& rule : sandbox_limit_rules()) {
    const SandboxLimits before = SandboxLimits::of(Profile::medium);
    EXPECT_EQ(rule.get(*with_changes(before, {{std::string(rule.name), rule.min}})), rule.min) << rule.name;
    EXPECT_EQ(rule.get(*with_changes(before, {{std::string(rule.name), rule.max}})), rule.max) << rule.name;
    const auto above = with_changes(before, {{std::string(rule.name), rule.max + 1}});
    EXPECT_EQ(above.error().code, ErrorCode::validation_failed) << rule.name;
    EXPECT_THAT(above.error().message, HasSubstr(std::string(rule.name)));
    if (rule.min == 0) continue;
    EXPECT_FALSE(with_changes(before, {{std::string(rule.name), rule.min - 1}})) << rule.name;
  }
}

TEST(SandboxLimits, TellEverythingThatIsWrongAtOnce) {  // Q04, Q22
  const auto limits =
      with_changes({}, {{"processes_max", 0}, {"speed_max", 3}, {"timers_max", 5}, {"call_depth_max", 15}});
  ASSERT_FALSE(limits);
  EXPECT_EQ(limits.error().details.size(), 3U);
  EXPECT_THAT(limits.error().message, HasSubstr("speed_max"));
  EXPECT_THAT(limits.error().message, HasSubstr("call_depth_max is 15"));
}

TEST(SandboxLimits, HoldCallsToFuelOnlyWhenItWasSet) {
  EXPECT_EQ(with_changes({}, {{"fuel_max", 10}})->call_fuel_max, 10U);
}

TEST(SandboxLimits, EndAGuestOnlyWhereTheyRefuseItSomething) {
  EXPECT_TRUE(check_actions({{"memory_bytes_max", OnLimit::kill}, {"files_max", OnLimit::refuse}}));
  const auto wrong = check_actions({{"fuel_max", OnLimit::kill}, {"speed_max", OnLimit::kill}});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().details.size(), 2U);
  EXPECT_THAT(wrong.error().message, HasSubstr("nothing is refused to a guest by \"fuel_max\""));
  EXPECT_THAT(wrong.error().message, HasSubstr("there is no limit \"speed_max\""));
  EXPECT_EQ(on_limit_named("kill"), OnLimit::kill);
  EXPECT_EQ(name_of(OnLimit::refuse), "refuse");
}

TEST(SandboxLimits, HaveARowForEachLimitOfARun) {
  for (const LimitRule& rule : limit_rules()) EXPECT_NE(sandbox_limit_named(rule.name), nullptr) << rule.name;
}

}  // namespace
}  // namespace petri
