#include "petri/limits.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

LimitChanges change(const LimitRule& rule, std::uint64_t value) {
  LimitChanges changes;
  set_limit_value(changes, rule, value);
  return changes;
}

TEST(SandboxLimits, AcceptBothEndsOfARangeAndNothingBeyond) {  // Q03
  for (const LimitRule& rule : sandbox_limit_rules()) {
    const SandboxLimits before;
    EXPECT_EQ(limit_value(*with_changes(before, change(rule, rule.min)), rule), rule.min) << rule.name;
    EXPECT_EQ(limit_value(*with_changes(before, change(rule, rule.max)), rule), rule.max) << rule.name;
    const auto above = with_changes(before, change(rule, rule.max + 1));
    EXPECT_EQ(above.error().code, ErrorCode::validation_failed) << rule.name;
    EXPECT_THAT(above.error().message, HasSubstr(std::string(rule.name)));
    if (rule.min == 0) continue;
    EXPECT_FALSE(with_changes(before, change(rule, rule.min - 1))) << rule.name;
  }
}

TEST(SandboxLimits, TellEverythingThatIsWrongAtOnce) {  // Q04, Q22
  const auto limits =
      with_changes({}, {.call_depth_max = 15, .processes_max = 0, .timers_max = 5, .shutdown_max = -1s});
  ASSERT_FALSE(limits);
  EXPECT_EQ(limits.error().details.size(), 3U);
  EXPECT_THAT(limits.error().message, HasSubstr("shutdown_max is -1 s but goes from 0 s to 24 h"));
  EXPECT_THAT(limits.error().message, HasSubstr("call_depth_max is 15"));
}

TEST(SandboxLimits, HoldCallsToFuelOnlyWhenItWasSet) {
  EXPECT_EQ(with_changes({}, {.fuel_max = 10})->call_fuel_max, 10U);
}

// A process may use what the tree may, until somebody says otherwise; that is then for good.
TEST(SandboxLimits, OfOneProcessFollowTheTreeUntilTheyAreSet) {
  constexpr std::uint64_t kMiB = 1'048'576;
  const SandboxLimits follows = *with_changes({}, {.memory_bytes_max = 32 * kMiB});
  EXPECT_EQ(follows.process_memory_bytes_max, 32 * kMiB);
  EXPECT_EQ(with_changes(follows, {.memory_bytes_max = 8'192 * kMiB})->process_memory_bytes_max, 4'096 * kMiB);
  for (const std::uint64_t own : {kMiB, 32 * kMiB}) {
    const SandboxLimits set = *with_changes(follows, {.process_memory_bytes_max = own});
    EXPECT_EQ(with_changes(set, {.memory_bytes_max = 64 * kMiB})->process_memory_bytes_max, own);
    EXPECT_EQ(with_changes(set, {.memory_bytes_max = kMiB / 2})->process_memory_bytes_max, own);
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

TEST(LimitChanges, HoldEachLimitByItsName) {
  LimitChanges changes;
  EXPECT_TRUE(changes.empty());
  std::uint64_t value = 1'000'000;
  for (const LimitRule& rule : sandbox_limit_rules()) {
    EXPECT_EQ(limit_value(changes, rule), std::nullopt);
    ASSERT_TRUE(set_limit(changes, rule.name, value++));
  }
  value = 1'000'000;
  for (const LimitRule& rule : sandbox_limit_rules()) EXPECT_EQ(limit_value(changes, rule), value++) << rule.name;
  EXPECT_EQ(changes.execution_time_max, 1ms);
  EXPECT_EQ(changes.memory_bytes_max, 1'000'001U);
  EXPECT_THAT(set_limit(changes, "speed_max", 1).error().message,
              HasSubstr("there is no limit \"speed_max\" (the limits are execution_time_max, memory_bytes_max, "));
}

TEST(LimitChanges, AreFilledInWhereTheySayNothing) {
  LimitChanges changes{.fuel_max = 7, .cpu_grace = 1s};
  fill_in(changes, {.execution_time_max = 20ms, .fuel_max = 9});
  EXPECT_EQ(changes, (LimitChanges{.execution_time_max = 20ms, .fuel_max = 7, .cpu_grace = 1s}));
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
TEST(LimitChanges, AreStillReadFromAMapOfNames) {
  EXPECT_EQ(limit_changes({{"fuel_max", 7}, {"cpu_grace", 1'000'000'000}}),
            (LimitChanges{.fuel_max = 7, .cpu_grace = 1s}));
  EXPECT_EQ(limit_changes({{"speed_max", 7}}).error().code, ErrorCode::validation_failed);
}
#pragma GCC diagnostic pop

TEST(SandboxLimits, HaveARowForEachLimitOfARun) {
  for (const LimitRule& rule : limit_rules()) EXPECT_NE(sandbox_limit_named(rule.name), nullptr) << rule.name;
}

}  // namespace
}  // namespace petri
