#include "telemetry/usage/usage_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

UsageSample sample(int second, std::uint64_t fuel) {
  return {.time = WallTime(std::chrono::seconds(second)),
          .usage = {.fuel_used = fuel, .uptime = std::chrono::seconds(second)}};
}

// "second:fuel" of each
std::vector<std::string> shown(const UsageHistory& history) {
  std::vector<std::string> texts;
  for (const UsageSample& one : history.samples()) {
    const auto second = one.time.time_since_epoch() / 1s;
    texts.push_back(std::to_string(second) + ":" + std::to_string(one.usage.fuel_used));
  }
  return texts;
}

TEST(UsageHistory, StartsEmpty) {
  const UsageHistory history;
  EXPECT_THAT(history.samples(), IsEmpty());
  EXPECT_EQ(history.latest(), nullptr);
}

// Q26: history is bounded.
TEST(UsageHistory, KeepsTheNewestInOrder) {
  UsageHistory history(3);
  for (int i = 1; i <= 2; ++i) history.add(sample(i, i));
  EXPECT_THAT(shown(history), ElementsAre("1:1", "2:2"));
  for (int i = 3; i <= 8; ++i) {
    history.add(sample(i, i));
    EXPECT_EQ(history.size(), 3U);
    EXPECT_EQ(*history.latest(), sample(i, i));
  }
  EXPECT_THAT(shown(history), ElementsAre("6:6", "7:7", "8:8"));
}

TEST(UsageHistory, KeepsAnIdleStretchAsItsFirstAndLastSample) {
  UsageHistory history(4);
  history.add(sample(0, 1));
  for (int i = 1; i <= 100; ++i) history.add(sample(i, 5));
  EXPECT_THAT(shown(history), ElementsAre("0:1", "1:5", "100:5"));
  EXPECT_EQ(history.latest()->usage.uptime, 100s);
  for (int i = 101; i <= 200; ++i) history.add(sample(i, i % 2));
  EXPECT_THAT(shown(history), ElementsAre("197:1", "198:0", "199:1", "200:0"));
  for (int i = 201; i <= 300; ++i) history.add(sample(i, 0));
  EXPECT_THAT(shown(history), ElementsAre("198:0", "199:1", "200:0", "300:0"));
}

// Calls of a sandbox wait for the lock that guards its history.
TEST(UsageHistory, TakesASampleWithoutMemoryOnceItHasRoom) {
  UsageHistory history(5);
  for (int i = 1; i <= 9; ++i) {
    std::vector<UsageSample> room;
    room.reserve(history.room_wanted());
    const UsageSample* const place = room.data();
    history.move_into(room);
    EXPECT_EQ(history.room_wanted(), 0U);
    history.add(sample(i, i));
    EXPECT_TRUE(place == nullptr || history.latest() == place + (i - 1)) << i;
    EXPECT_LE(history.size(), 5U);
  }
  EXPECT_THAT(shown(history), ElementsAre("5:5", "6:6", "7:7", "8:8", "9:9"));
}

TEST(UsageHistory, StaysWhereItIsInsteadOfInASmallerRoom) {
  UsageHistory history(5);
  for (int i = 1; i <= 3; ++i) history.add(sample(i, i));
  std::vector<UsageSample> small;
  small.reserve(1);
  history.move_into(small);
  EXPECT_THAT(shown(history), ElementsAre("1:1", "2:2", "3:3"));
  EXPECT_EQ(UsageHistory(0).room_wanted(), 0U);
}

TEST(UsageHistory, CanBeOffOrOfOneSample) {
  UsageHistory off(0);
  off.add(sample(1, 1));
  EXPECT_THAT(off.samples(), IsEmpty());
  UsageHistory last(1);
  for (int i = 1; i <= 3; ++i) last.add(sample(i, 7));
  EXPECT_THAT(shown(last), ElementsAre("3:7"));
}

}  // namespace
}  // namespace petri
