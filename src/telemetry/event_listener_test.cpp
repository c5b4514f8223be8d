#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <optional>
#include <stdexcept>
#include <thread>

#include "telemetry/bare_event.h"
#include "telemetry/event_bus.h"

namespace petri {
namespace {

class EventListenerTest : public ::testing::Test {
 protected:
  EventListener listen(EventListener::Callback callback, SubscriptionOptions options = {}) {
    auto listener = EventListener::start(std::move(*bus->subscribe(std::move(options))), std::move(callback));
    EXPECT_TRUE(listener);
    return std::move(*listener);
  }
  void publish(int times = 1) {
    for (int i = 0; i < times; ++i) bus->publish(EventKind::run_start, {.sandbox = "a"}, kBareEvent);
  }

  ManualClock clock;
  std::optional<EventBus> bus{std::in_place, clock};
};

TEST_F(EventListenerTest, IsCalledForEachEventInOrderOnAThreadOfItsOwn) {
  std::vector<std::uint64_t> seen;
  std::thread::id thread;
  std::promise<void> third;
  const EventListener listener = listen([&](const Event& event) {
    seen.push_back(event.sequence);
    thread = std::this_thread::get_id();
    if (event.sequence == 3) third.set_value();
  });
  publish(3);
  third.get_future().wait();
  EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2, 3}));
  EXPECT_NE(thread, std::this_thread::get_id());
}

TEST_F(EventListenerTest, HearsTheRestWhenTheBusIsGone) {
  std::promise<void> bus_is_gone, last;
  const EventListener listener = listen([&, gone = bus_is_gone.get_future().share()](const Event& event) {
    gone.wait();
    if (event.sequence == 5) last.set_value();
  });
  publish(5);
  bus.reset();
  bus_is_gone.set_value();
  last.get_future().wait();
}

// O07, HF16
TEST_F(EventListenerTest, MayBeSlowWithoutAnyPublisherWaiting) {
  std::promise<void> entered, leave;
  EventListener listener = listen(
      [&, first = true](const Event&) mutable {
        if (std::exchange(first, false)) {
          entered.set_value();
          leave.get_future().wait();
        }
      },
      {.queue_max = 10});
  publish();
  entered.get_future().wait();
  publish(1'000);
  EXPECT_EQ(listener.lost(), 990U);
  leave.set_value();
}

// O08
TEST_F(EventListenerTest, IsNotCalledAfterItsEndHasReturned) {
  std::atomic<bool> ended{false};
  std::atomic<int> late{0};
  for (int round = 0; round < 20; ++round) {
    ended = false;
    std::promise<void> called;
    EventListener listener = listen([&, first = true](const Event&) mutable {
      if (std::exchange(first, false)) called.set_value();
      if (ended) ++late;
    });
    std::jthread publisher([&](const std::stop_token& stop) {
      while (!stop.stop_requested()) publish();
    });
    called.get_future().wait();
    listener.end();
    ended = true;
    publish();
  }
  EXPECT_EQ(late, 0);
}

// HF16
TEST_F(EventListenerTest, MayEndItselfFromItsCallback) {
  std::promise<EventListener*> self;
  std::promise<void> done;
  int calls = 0;
  EventListener listener = listen([&, self_here = self.get_future().share()](const Event&) {
    ++calls;
    self_here.get()->end();
    done.set_value();
  });
  self.set_value(&listener);
  publish(5);
  done.get_future().wait();
  listener.end();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(bus->counts().subscriptions, 0U);
}

TEST_F(EventListenerTest, MayBeDestroyedByItsCallback) {
  std::promise<void> ready;
  std::promise<void> done;
  std::optional<EventListener> listener;
  listener = listen([&, start = ready.get_future().share()](const Event&) {
    start.wait();
    listener.reset();
    done.set_value();
  });
  ready.set_value();
  publish(5);
  done.get_future().wait();
  EXPECT_FALSE(listener);
  EXPECT_EQ(bus->counts().subscriptions, 0U);
}

// Notes when the thread it was made on has ended.
struct AtThreadEnd {
  std::promise<void>* ended;
  ~AtThreadEnd() { ended->set_value(); }
};

// HF16
TEST_F(EventListenerTest, IsNotCalledAgainOnceItsCallbackThrew) {
  std::promise<void> all_published, thread_ended;
  std::atomic<int> calls{0};
  const EventListener listener = listen([&, published = all_published.get_future().share()](const Event&) {
    const thread_local AtThreadEnd at_end{&thread_ended};
    published.wait();
    ++calls;
    throw std::runtime_error("no");
  });
  Subscription other = std::move(*bus->subscribe());
  publish(5);
  all_published.set_value();
  thread_ended.get_future().wait();
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(bus->counts().subscriptions, 1U);
  for (int i = 0; i < 5; ++i) EXPECT_NE(other.next(), nullptr) << "others go on";
}

TEST_F(EventListenerTest, MayBeEndedByManyThreadsAtOnce) {
  EventListener listener = listen([](const Event&) {});
  publish(10);
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { listener.end(); });
  }
  EXPECT_EQ(bus->counts().subscriptions, 0U);
}

TEST_F(EventListenerTest, HearsAllThatWaitsBeforeItsFinishReturns) {
  std::promise<void> all_published;
  std::atomic<int> calls{0};
  EventListener listener = listen([&, published = all_published.get_future().share()](const Event&) {
    published.wait();
    ++calls;
  });
  publish(100);
  all_published.set_value();
  listener.finish();
  EXPECT_EQ(calls, 100);
  publish(5);
  listener.finish();
  listener.end();
  EXPECT_EQ(calls, 100);
  EXPECT_EQ(bus->counts().subscriptions, 0U);
}

// O07
TEST_F(EventListenerTest, LearnsHowManyItMissedOnceItHasCaughtUp) {
  std::promise<void> entered, leave;
  std::vector<std::string> heard;
  auto listener = *EventListener::start(
      std::move(*bus->subscribe({.queue_max = 2})),
      [&, first = true](const Event& event) mutable {
        heard.push_back(std::to_string(event.sequence));
        if (!std::exchange(first, false)) return;
        entered.set_value();
        leave.get_future().wait();
      },
      [&](std::uint64_t lost) { heard.push_back("lost " + std::to_string(lost)); });
  publish();
  entered.get_future().wait();
  publish(10);
  leave.set_value();
  listener.finish();
  EXPECT_EQ(heard, (std::vector<std::string>{"1", "2", "3", "lost 8"}));
}

// A storm that never lets it catch up.
TEST_F(EventListenerTest, LearnsHowManyItMissedAlsoWhileItIsBehind) {
  std::vector<std::uint64_t> losses;
  std::uint64_t calls = 0;
  EventListener listener;
  std::promise<void> ready, done;
  listener = std::move(*EventListener::start(
      std::move(*bus->subscribe({.queue_max = 2})),
      [&, start = ready.get_future().share()](const Event&) {
        start.wait();
        publish(2);
        if (++calls == 1'000) listener.end();
        if (calls == 1'000) done.set_value();
      },
      [&](std::uint64_t lost) { losses.push_back(lost); }));
  publish();
  ready.set_value();
  done.get_future().wait();
  listener.end();
  EXPECT_EQ(calls, 1'000U);
  EXPECT_EQ(losses.size(), 3U) << "one for some hundred events, not one for each";
}

TEST_F(EventListenerTest, NeedsACallback) {
  EXPECT_EQ(EventListener::start(std::move(*bus->subscribe()), nullptr).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(bus->counts().subscriptions, 0U);
}

}  // namespace
}  // namespace petri
