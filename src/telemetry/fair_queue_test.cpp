#include "telemetry/fair_queue.h"

#include <gtest/gtest.h>

#include <map>

namespace petri {
namespace {

class FairQueueTest : public ::testing::Test {
 protected:
  bool push(const std::string& sandbox) {
    return queue.push(std::make_shared<Event>(Event{.sequence = ++sequence, .sandbox = sandbox}));
  }
  void push(const std::string& sandbox, int times) {
    for (int i = 0; i < times; ++i) lost += push(sandbox) ? 0 : 1;
  }
  // Takes all that waits: how many by sandbox; the order is that of the sequence numbers.
  std::map<std::string, int> drain() {
    std::map<std::string, int> waiting;
    std::uint64_t last = 0;
    while (const EventPtr event = queue.pop()) {
      EXPECT_GT(event->sequence, last);
      last = event->sequence;
      ++waiting[event->sandbox];
    }
    return waiting;
  }

  FairQueue queue{10};
  std::uint64_t sequence = 0;
  int lost = 0;
};

using Waiting = std::map<std::string, int>;

TEST_F(FairQueueTest, BelongsWhollyToTheOnlyOneThatPublishesAnything) {
  push("a", 100);
  EXPECT_EQ(lost, 90);
  EXPECT_EQ(queue.size(), 10U);
  EXPECT_EQ(queue.pop()->sequence, 1U) << "what is kept begins with the cause of a storm";
  EXPECT_EQ(drain(), (Waiting{{"a", 9}}));
  EXPECT_TRUE(queue.empty());
}

TEST_F(FairQueueTest, HasRoomForTheQuietHoweverNoisyAnotherIs) {
  push("noisy", 100);
  push("quiet", 2);
  push("noisy", 100);
  push("", 1);  // the runtime itself
  EXPECT_EQ(lost, 203 - 10);
  EXPECT_EQ(drain(), (Waiting{{"", 1}, {"noisy", 7}, {"quiet", 2}}));
}

TEST_F(FairQueueTest, IsSharedEvenlyByThoseWhoAreEquallyNoisy) {
  for (int i = 0; i < 100; ++i) {
    push("a", 3);
    push("b", 2);
  }
  EXPECT_EQ(drain(), (Waiting{{"a", 5}, {"b", 5}}));
}

TEST_F(FairQueueTest, LosesOneForEachThatComesOnceItIsFull) {
  for (int i = 0; i < 50; ++i) push(std::to_string(i % 7), 1 + i % 4);
  EXPECT_EQ(queue.size(), 10U);
  EXPECT_EQ(static_cast<std::uint64_t>(lost) + 10, sequence);
}

TEST_F(FairQueueTest, KnowsWhoIsNoisyNow) {
  push("a", 10);
  drain();
  push("b", 10);
  push("a", 3);
  EXPECT_EQ(drain(), (Waiting{{"a", 3}, {"b", 7}}));
}

TEST_F(FairQueueTest, OfOneEventKeepsTheFirst) {
  FairQueue one(1);
  EXPECT_TRUE(one.push(std::make_shared<Event>(Event{.sandbox = "a"})));
  EXPECT_FALSE(one.push(std::make_shared<Event>(Event{.sandbox = "b"})));
  EXPECT_EQ(one.pop()->sandbox, "a");
  EXPECT_EQ(one.pop(), nullptr);
}

}  // namespace
}  // namespace petri
