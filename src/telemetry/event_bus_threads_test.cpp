#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <thread>
#include <vector>

#include "telemetry/event_bus.h"

namespace petri {
namespace {

constexpr std::size_t kPublishers = 4;
constexpr std::uint64_t kEventsEach = 2'000;

// Each publisher has a sandbox of its own and counts in a detail.
class PublisherThreads {
 public:
  explicit PublisherThreads(EventBus& bus) {
    for (std::size_t i = 0; i < kPublishers; ++i) threads_.emplace_back([this, &bus, i] { publish(bus, i); });
  }
  void join() { threads_.clear(); }

 private:
  void publish(EventBus& bus, std::size_t publisher) {
    const std::string sandbox = std::to_string(publisher);
    start_.arrive_and_wait();
    for (std::uint64_t i = 0; i < kEventsEach; ++i) {
      bus.publish(EventKind::run_stop, {.sandbox = sandbox}, [i](Event& event) { event.add("fuel_used", i); });
    }
  }

  std::barrier<> start_{kPublishers};
  std::vector<std::jthread> threads_;
};

struct Seen {
  std::array<std::vector<std::uint64_t>, kPublishers> numbers;
  std::size_t total = 0;
  bool in_sequence = true;
};

void note(Seen& seen, const Event& event, std::uint64_t& last) {
  seen.numbers[static_cast<std::size_t>(event.sandbox[0] - '0')].push_back(event.count("fuel_used"));
  seen.in_sequence &= event.sequence > last;
  last = event.sequence;
  ++seen.total;
}

Seen read_all(Subscription& subscription) {
  Seen seen;
  std::uint64_t last = 0;
  while (const EventPtr event = subscription.next()) note(seen, *event, last);
  return seen;
}

TEST(EventBusThreads, KeepTheOrderOfEachPublisherAndLoseNothingThatFits) {
  const SystemClock clock;
  EventBus bus(clock);
  auto subscription = std::move(*bus.subscribe({.queue_max = kPublishers * kEventsEach}));
  PublisherThreads(bus).join();
  const Seen seen = read_all(subscription);
  for (const auto& numbers : seen.numbers) {
    ASSERT_EQ(numbers.size(), kEventsEach);
    for (std::uint64_t i = 0; i < kEventsEach; ++i) ASSERT_EQ(numbers[i], i);
  }
  EXPECT_TRUE(seen.in_sequence);
  EXPECT_EQ(subscription.lost(), 0U);
}

// In every interleaving of reader and publishers, the events read and the events lost add up.
TEST(EventBusThreads, ReadOrCountEveryEvent) {
  const SystemClock clock;
  EventBus bus(clock);
  auto subscription = std::move(*bus.subscribe({.queue_max = 16}));
  Seen seen;
  std::jthread reader([&](const std::stop_token& stop) {
    std::uint64_t last = 0;
    while (const EventPtr event = subscription.wait(stop)) note(seen, *event, last);
  });
  PublisherThreads(bus).join();
  reader.request_stop();
  reader.join();
  const std::size_t rest = read_all(subscription).total;
  EXPECT_EQ(seen.total + rest + subscription.lost(), kPublishers * kEventsEach);
  EXPECT_TRUE(seen.in_sequence);
  EXPECT_LE(rest, 16U);
  for (const auto& numbers : seen.numbers) EXPECT_TRUE(std::is_sorted(numbers.begin(), numbers.end()));
}

// O08: subscriptions come and go while events are published; none hears what is not for it or what comes too late.
TEST(EventBusThreads, LetSubscriptionsComeAndGoMeanwhile) {
  const SystemClock clock;
  EventBus bus(clock);
  PublisherThreads publishers(bus);
  std::atomic<int> wrong{0};
  const auto come_and_go = [&](std::size_t number) {
    const std::string sandbox = std::to_string(number % kPublishers);
    for (int round = 0; round < 200; ++round) {
      auto subscription = std::move(*bus.subscribe({.sandbox = sandbox, .queue_max = 4}));
      while (const EventPtr event = subscription.next()) wrong += event->sandbox != sandbox ? 1 : 0;
      subscription.end();
      wrong += subscription.next() != nullptr ? 1 : 0;
    }
  };
  {
    std::vector<std::jthread> subscribers;
    for (std::size_t i = 0; i < 3; ++i) subscribers.emplace_back(come_and_go, i);
  }
  publishers.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(bus.counts().subscriptions, 0U);
  EXPECT_FALSE(bus.wants(EventKind::run_stop));
}

TEST(EventBusThreads, NeverGetTheSameCorrelationTwice) {
  const SystemClock clock;
  EventBus bus(clock);
  std::array<std::vector<std::uint64_t>, 2> ids;
  {
    std::vector<std::jthread> threads;
    for (auto& mine : ids) {
      threads.emplace_back([&] {
        for (int i = 0; i < 1'000; ++i) mine.push_back(bus.new_correlation().id);
      });
    }
  }
  std::vector<std::uint64_t> all = ids[0];
  all.insert(all.end(), ids[1].begin(), ids[1].end());
  std::sort(all.begin(), all.end());
  EXPECT_EQ(std::adjacent_find(all.begin(), all.end()), all.end());
}

}  // namespace
}  // namespace petri
