#include "process/mailbox/occupancy.h"

#include <gtest/gtest.h>

#include <array>

namespace petri {
namespace {

using enum Occupation;
using Event = OccupationEvent;

constexpr std::optional<Occupation> kImpossible;

TEST(Occupation, FollowsItsTable) {
  struct Row {
    Occupation now;
    std::optional<Occupation> start, enter, leave, end, close;
  };
  constexpr std::array<Row, 4> kTable{{
      {down, busy, kImpossible, kImpossible, kImpossible, closed},
      {idle, kImpossible, busy, kImpossible, kImpossible, closed},
      {busy, kImpossible, kImpossible, idle, down, closed},
      {closed, kImpossible, kImpossible, closed, closed, closed},
  }};
  for (const Row& row : kTable) {
    const int now = static_cast<int>(row.now);
    EXPECT_EQ(next(row.now, Event::start), row.start) << now;
    EXPECT_EQ(next(row.now, Event::enter), row.enter) << now;
    EXPECT_EQ(next(row.now, Event::leave), row.leave) << now;
    EXPECT_EQ(next(row.now, Event::end), row.end) << now;
    EXPECT_EQ(next(row.now, Event::close), row.close) << now;
  }
}

class OccupancyTest : public ::testing::Test {
 protected:
  void advance(Event event) {
    occupancy_.require_lock();
    EXPECT_TRUE(occupancy_.try_advance(event));
    occupancy_.release_lock();
  }
  Occupancy occupancy_;
};

TEST_F(OccupancyTest, IsEnteredAndLeftWithoutTheLockWhileIdle) {
  EXPECT_FALSE(occupancy_.try_without_lock(Event::enter)) << "it is down";
  advance(Event::start);
  EXPECT_FALSE(occupancy_.try_without_lock(Event::enter)) << "somebody has entered";
  EXPECT_TRUE(occupancy_.try_without_lock(Event::leave));
  EXPECT_TRUE(occupancy_.try_without_lock(Event::enter));
  EXPECT_EQ(occupancy_.now(), busy);
}

TEST_F(OccupancyTest, ChangesOnlyWithTheLockWhileThatIsRequired) {
  advance(Event::start);
  occupancy_.require_lock();
  EXPECT_FALSE(occupancy_.try_without_lock(Event::leave));
  EXPECT_TRUE(occupancy_.try_advance(Event::leave));
  EXPECT_FALSE(occupancy_.try_without_lock(Event::enter));
  EXPECT_FALSE(occupancy_.try_advance(Event::leave)) << "nobody has entered";
  EXPECT_EQ(occupancy_.now(), idle);
  occupancy_.release_lock();
  EXPECT_TRUE(occupancy_.try_without_lock(Event::enter));
}

}  // namespace
}  // namespace petri
