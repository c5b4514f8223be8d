#include "petri/limits.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

using testing::HasSubstr;

TEST(SandboxLimits, AcceptBothEndsOfARangeAndNothingBeyond) {  // Q03
  for (const SandboxLimitRule& rule : sandbox_limit_rules()) {
    const SandboxLimits before;
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

// A process may use what the tree may, until somebody says otherwise; that is then for good.
TEST(SandboxLimits, OfOneProcessFollowTheTreeUntilTheyAreSet) {
  constexpr std::uint64_t kMiB = 1'048'576;
  const SandboxLimits follows = *with_changes({}, {{"memory_bytes_max", 32 * kMiB}});
  EXPECT_EQ(follows.process_memory_bytes_max, 32 * kMiB);
  EXPECT_EQ(with_changes(follows, {{"memory_bytes_max", 8'192 * kMiB}})->process_memory_bytes_max, 4'096 * kMiB);
  for (const std::uint64_t own : {kMiB, 32 * kMiB}) {
    const SandboxLimits set = *with_changes(follows, {{"process_memory_bytes_max", own}});
    EXPECT_EQ(with_changes(set, {{"memory_bytes_max", 64 * kMiB}})->process_memory_bytes_max, own);
    EXPECT_EQ(with_changes(set, {{"memory_bytes_max", kMiB / 2}})->process_memory_bytes_max, own);
  }
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
