#include "watcher/debounce.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;
constexpr Clock::TimePoint kStart{};

TEST(Debounce, SettlesOnceItIsQuiet) {
  Debounce debounce(100ms);
  EXPECT_FALSE(debounce.due());
  EXPECT_FALSE(debounce.take(kStart));
  debounce.note(kStart);
  debounce.note(kStart + 60ms);
  EXPECT_EQ(debounce.due(), kStart + 160ms);
  EXPECT_FALSE(debounce.take(kStart + 159ms));
  EXPECT_TRUE(debounce.take(kStart + 160ms));
  EXPECT_FALSE(debounce.take(kStart + 500ms));
}

TEST(Debounce, SettlesAlsoWhereWritingNeverStops) {  // H05
  Debounce debounce(100ms);
  int settled = 0;
  for (auto at = 0ms; at <= 10s; at += 1ms) {
    debounce.note(kStart + at);
    settled += debounce.take(kStart + at) ? 1 : 0;
  }
  EXPECT_EQ(settled, 9);
}

TEST(Debounce, OfNoTimeSettlesAtOnce) {
  Debounce debounce(0ms);
  debounce.note(kStart);
  EXPECT_TRUE(debounce.take(kStart));
}

}  // namespace
}  // namespace petri
