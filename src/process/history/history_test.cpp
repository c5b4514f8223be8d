#include "process/history/history.h"

#include <gtest/gtest.h>

#include "process/account/tree_account.h"
#include "process/history/retrace_budget.h"

namespace petri {
namespace {

class HistoryTest : public ::testing::Test {
 protected:
  TreeAccount account_{std::make_shared<const SandboxLimits>()};
  History history_{account_};
};

TEST_F(HistoryTest, KeepsMessagesWhileItIsShort) {
  EXPECT_FALSE(history_.open());
  history_.start("seed");
  history_.add(Message{.function = "f", .arguments = {Value(7)}}, 3);
  ASSERT_TRUE(history_.open());
  EXPECT_EQ(history_.input(), "seed");
  EXPECT_EQ(history_.messages().at(0).function, "f");
  EXPECT_EQ(history_.messages().at(0).fuel_used, 3U);
}

TEST_F(HistoryTest, EndsWithTooManyEntriesAndGivesItsBytesBack) {
  history_.start("");
  for (std::size_t i = 0; i < History::kEntriesMax; ++i) history_.add(History::Answer{.code = 1});
  EXPECT_TRUE(history_.open());
  EXPECT_GT(account_.host_bytes(), 0U);
  history_.add(History::Answer{.code = 1});
  EXPECT_FALSE(history_.open());
  EXPECT_EQ(account_.host_bytes(), 0U);
}

TEST(RetraceBudget, IsASecondAtOnceAndATenthInTheLongRun) {
  using namespace std::chrono_literals;
  RetraceBudget budget;
  const Clock::TimePoint start{100s};
  EXPECT_TRUE(budget.may_start(start));
  budget.spend(1500ms);
  EXPECT_FALSE(budget.may_start(start));
  EXPECT_FALSE(budget.may_start(start + 5s));
  EXPECT_TRUE(budget.may_start(start + 6s));
  EXPECT_TRUE(budget.may_start(start + 1000s));
  budget.spend(1s);
  EXPECT_FALSE(budget.may_start(start + 1000s)) << "nothing is saved up";
}

TEST_F(HistoryTest, EndsWithTooManyBytes) {
  history_.start("");
  history_.add(Message{.bytes = std::string(History::kBytesMax, 'x')}, 1);
  EXPECT_TRUE(history_.open());
  history_.add(Message{.bytes = "x"}, 1);
  EXPECT_FALSE(history_.open());
}

TEST_F(HistoryTest, StartsAgainFromAnImageOnceFuelHasPaidForIt) {
  constexpr std::uint64_t kMemory = 64 << 10;
  history_.start("", History::Renewable::yes);
  EXPECT_FALSE(history_.wants_image(1'000'000, kMemory)) << "it is not half full";
  for (std::size_t i = 0; i <= History::kEntriesMax; ++i) history_.add(History::Answer{.code = 1});
  EXPECT_FALSE(history_.open());
  EXPECT_TRUE(history_.watches());
  EXPECT_TRUE(history_.wants_image(0, kMemory));
  EXPECT_FALSE(history_.wants_image(100'000, kMemory)) << "too little since";
  EXPECT_TRUE(history_.wants_image(100'000, kMemory));
  history_.close();
  EXPECT_FALSE(history_.watches());
  EXPECT_FALSE(history_.wants_image(1'000'000, kMemory));
}

TEST_F(HistoryTest, KeepsAnImageOnTheBudgetOfTheRuntime) {
  RetraceBudget budget;
  const auto image = std::make_shared<const InstanceImage>();
  {
    History history(account_, &budget);
    history.start_from({.image = image});
    EXPECT_TRUE(history.open());
    EXPECT_EQ(history.origin()->image, image);
    EXPECT_EQ(budget.image_bytes(), image->bytes_kept());
    EXPECT_EQ(account_.host_bytes(), 0U) << "guests of the other tier have as much";
  }
  EXPECT_EQ(budget.image_bytes(), 0U);
}

TEST(RetraceBudget, HasRoomForSoManyImages) {
  RetraceBudget budget;
  EXPECT_FALSE(budget.try_keep(RetraceBudget::kOneImageBytesMax + 1));
  for (std::uint64_t kept = 0; kept < RetraceBudget::kImageBytesMax; kept += RetraceBudget::kOneImageBytesMax) {
    EXPECT_TRUE(budget.try_keep(RetraceBudget::kOneImageBytesMax));
  }
  EXPECT_FALSE(budget.try_keep(1));
  budget.let_go(1);
  EXPECT_TRUE(budget.try_keep(1));
}

}  // namespace
}  // namespace petri
