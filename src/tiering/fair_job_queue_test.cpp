#include "tiering/fair_job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace petri {
namespace {

using std::chrono::seconds;
using testing::ElementsAre;

class FairJobQueueTest : public testing::Test {
 protected:
  void push(const int& client, const std::string& job) { lines_.push(&client, job); }
  // Does the next job, which takes so long.
  std::string do_next(seconds time = {}) {
    const auto taken = lines_.take();
    lines_.charge(taken.client, time);
    return taken.job;
  }

  FairJobQueue<std::string> lines_{{.jobs_max = 6, .jobs_of_client_max = 4}};
  int greedy_ = 0, modest_ = 0, late_ = 0;
};

// Four expensive modules of one sandbox, and the others' code stayed interpreted for 38 s.
TEST_F(FairJobQueueTest, ServeWhoeverHasHadTheLeast) {
  for (const char* job : {"g1", "g2", "g3", "g4"}) push(greedy_, job);
  std::vector<std::string> done{do_next(seconds(10))};
  push(modest_, "m1");
  push(modest_, "m2");
  while (!lines_.empty()) done.push_back(do_next(seconds(1)));
  EXPECT_THAT(done, ElementsAre("g1", "m1", "m2", "g2", "g3", "g4"));
}

TEST_F(FairJobQueueTest, TakeTurnsWhereAllHadTheSame) {
  for (const char* job : {"g1", "g2"}) push(greedy_, job);
  for (const char* job : {"m1", "m2"}) push(modest_, job);
  std::vector<std::string> clients;
  while (!lines_.empty()) clients.push_back(do_next().substr(1));
  EXPECT_THAT(clients, ElementsAre("1", "1", "2", "2"));
}

TEST_F(FairJobQueueTest, DoNotPayForTimeSpentAway) {
  push(greedy_, "g1");
  do_next(seconds(100));
  push(greedy_, "g2");
  do_next(seconds(1));
  push(late_, "l1");
  push(late_, "l2");
  push(greedy_, "g3");
  EXPECT_EQ(do_next(seconds(2)), "l1");
  EXPECT_EQ(do_next(seconds(2)), "g3");
  EXPECT_EQ(do_next(seconds(2)), "l2");
}

TEST_F(FairJobQueueTest, HaveRoomForOthersWhenOneClientHasTooMany) {
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(lines_.has_room_for(&greedy_));
    push(greedy_, "g");
  }
  EXPECT_FALSE(lines_.has_room_for(&greedy_));
  EXPECT_TRUE(lines_.has_room_for(&modest_));
  push(modest_, "m");
  push(modest_, "m");
  EXPECT_FALSE(lines_.has_room_for(&late_));
}

}  // namespace
}  // namespace petri
