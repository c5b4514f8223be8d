#include "process/account/tree_account.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

constexpr std::uint64_t kPage = 65'536;

SandboxLimitsPtr limits_with(std::uint64_t memory_bytes_max, std::uint64_t timers_max = 2) {
  SandboxLimits limits = SandboxLimits::of(Profile::standard);
  limits.memory_bytes_max = memory_bytes_max;
  limits.timers_max = timers_max;
  limits.descriptors_max = 2;
  limits.log_bytes_per_second_max = 100;
  return std::make_shared<const SandboxLimits>(limits);
}

// The first bytes that the host holds for guests are free; beyond them it is memory like their own.
TEST(TreeAccount, RefusesMemoryThatTheHostHoldsAlreadyAndTakesNothing) {
  TreeAccount account(limits_with(2 * kPage));
  ASSERT_TRUE(account.try_hold(MemoryAccount::kHostBytesFree + kPage));
  EXPECT_FALSE(account.try_take(2 * kPage)) << "one page is the host's";
  EXPECT_EQ(account.memory_bytes(), 0U);
  EXPECT_EQ(account.taken(), MemoryAccount::kHostBytesFree + kPage);
  EXPECT_TRUE(account.try_take(kPage));
  EXPECT_FALSE(account.try_hold(1));
  account.give_back(kPage);
  account.let_go(MemoryAccount::kHostBytesFree + kPage);
  EXPECT_EQ(account.taken(), 0U);
  EXPECT_TRUE(account.try_take(2 * kPage));
}

TEST(TreeAccount, GivesNoMoreTimersThanItMayAndNoneWithoutMemory) {
  TreeAccount account(limits_with(kPage));
  EXPECT_EQ(account.try_add_timer(), TreeAccount::Added::yes);
  EXPECT_EQ(account.taken(), TreeAccount::kTimerBytes) << "a timer is on the account";
  EXPECT_EQ(account.try_add_timer(), TreeAccount::Added::yes);
  EXPECT_EQ(account.try_add_timer(), TreeAccount::Added::too_many);
  account.remove_timer();
  ASSERT_TRUE(account.try_hold(MemoryAccount::kHostBytesFree + kPage - account.taken()));
  EXPECT_EQ(account.try_add_timer(), TreeAccount::Added::no_memory);
  EXPECT_EQ(account.timers(), 1U);
  account.let_go(TreeAccount::kTimerBytes);
  EXPECT_EQ(account.try_add_timer(), TreeAccount::Added::yes);
}

TEST(TreeAccount, SeparatesItsOwnDescriptorsFromThoseOfAllTogether) {
  DescriptorPool pool(3);
  TreeAccount first(limits_with(kPage), nullptr, nullptr, &pool), second(limits_with(kPage), nullptr, nullptr, &pool);
  LimitMet met;
  EXPECT_EQ(first.try_add_descriptor(met), WasiErrno::success);
  EXPECT_EQ(first.try_add_descriptor(met), WasiErrno::success);
  EXPECT_EQ(first.try_add_descriptor(met), WasiErrno::mfile);
  EXPECT_EQ(met.limit, "descriptors_max");
  EXPECT_EQ(met.wanted, 3U);
  EXPECT_EQ(met.allowed, 2U);
  met = {};
  EXPECT_EQ(second.try_add_descriptor(met), WasiErrno::success);
  EXPECT_EQ(second.try_add_descriptor(met), WasiErrno::nfile) << "others have the rest";
  EXPECT_EQ(met.limit, "") << "no limit of its own";
  EXPECT_EQ(second.descriptors(), 1U);
  first.remove_descriptor();
  EXPECT_EQ(second.try_add_descriptor(met), WasiErrno::success);
}

TEST(TreeAccount, HasASecondsWorthOfLinesAnewOnlyWhenTheRateChanges) {
  TreeAccount account(limits_with(kPage));
  EXPECT_TRUE(account.try_log(100, 0));
  EXPECT_FALSE(account.try_log(1, 0));
  SandboxLimits limits = *account.limits();
  limits.timers_max = 7;
  account.set_limits(limits);
  EXPECT_FALSE(account.try_log(1, 0)) << "another limit has changed";
  limits.log_bytes_per_second_max = 200;
  account.set_limits(limits);
  EXPECT_TRUE(account.try_log(200, 0));
  EXPECT_FALSE(account.try_log(1, 0));
}

TEST(DescriptorPool, AnswersBusyOnceAllAreTaken) {
  const auto pool = std::make_shared<DescriptorPool>(1);
  EXPECT_EQ(*take_descriptor(nullptr), nullptr) << "no pool, no bound";
  {
    const auto taken = take_descriptor(pool);
    ASSERT_TRUE(taken);
    EXPECT_EQ(pool->used(), 1U);
    const auto refused = take_descriptor(pool);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::busy);
    EXPECT_EQ(refused.error().message,
              "the sandboxes of this runtime have 1 files open and may have no more: destroy some, or raise "
              "descriptors_max");
  }
  EXPECT_EQ(pool->used(), 0U) << "given back with the last who has it";
}

}  // namespace
}  // namespace petri
