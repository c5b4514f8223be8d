#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "telemetry/bare_event.h"
#include "telemetry/event_bus.h"

namespace petri {
namespace {

constexpr Subscription::TimePoint kLongAgo{};

class SubscriptionTest : public ::testing::Test {
 protected:
  Subscription subscribe() { return std::move(*bus->subscribe()); }
  void publish(std::string_view sandbox) { bus->publish(EventKind::run_start, {.sandbox = sandbox}, kBareEvent); }

  ManualClock clock;
  std::optional<EventBus> bus{std::in_place, clock};
};

TEST_F(SubscriptionTest, WaitsForWhatAnotherThreadPublishes) {
  Subscription subscription = subscribe();
  const std::jthread publisher([this] { publish("a"); });
  const EventPtr event = subscription.wait();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->sandbox, "a");
}

TEST_F(SubscriptionTest, GivesUpAtItsDeadlineButNotBeforeReadingWhatIsThere) {
  Subscription subscription = subscribe();
  EXPECT_EQ(subscription.wait_until(kLongAgo), nullptr);
  publish("a");
  EXPECT_NE(subscription.wait_until(kLongAgo), nullptr);
  EXPECT_EQ(subscription.wait_until(std::chrono::steady_clock::now() + std::chrono::milliseconds(1)), nullptr);
}

// O08
TEST_F(SubscriptionTest, CanBeReadToItsEndOnceItIsClosed) {
  Subscription subscription = subscribe();
  publish("a");
  subscription.close();
  publish("b");
  EXPECT_EQ(bus->counts().subscriptions, 0U);
  const EventPtr event = subscription.wait();
  ASSERT_NE(event, nullptr);
  EXPECT_EQ(event->sandbox, "a");
  EXPECT_EQ(subscription.wait(), nullptr);
  Subscription().close();
}

TEST_F(SubscriptionTest, StopsWaitingWhenToldTo) {
  Subscription subscription = subscribe();
  std::jthread reader([&](const std::stop_token& stop) { EXPECT_EQ(subscription.wait(stop), nullptr); });
  reader.request_stop();
  reader.join();
  publish("a");
  EXPECT_EQ(subscription.wait(reader.get_stop_token()), nullptr) << "also when there is something to read";
  EXPECT_NE(subscription.next(), nullptr) << "which is not lost";
}

TEST_F(SubscriptionTest, StopsWaitingWhenItIsEnded) {
  Subscription subscription = subscribe();
  const std::jthread reader([&] { EXPECT_EQ(subscription.wait(), nullptr); });
  subscription.end();
}

TEST_F(SubscriptionTest, OutlivesTheBusWithWhatItHadNotReadYet) {
  Subscription subscription = subscribe();
  publish("a");
  bus.reset();
  EXPECT_NE(subscription.wait(), nullptr);
  EXPECT_EQ(subscription.wait(), nullptr);
  EXPECT_EQ(subscription.lost(), 0U);
  subscription.end();
}

TEST_F(SubscriptionTest, StopsWaitingWhenTheBusIsGone) {
  Subscription subscription = subscribe();
  const std::jthread reader([&] { EXPECT_EQ(subscription.wait(), nullptr); });
  bus.reset();
}

TEST_F(SubscriptionTest, EndsTheOneItReplacesWhenMoved) {
  Subscription first = subscribe();
  Subscription second = subscribe();
  first = std::move(second);
  EXPECT_EQ(bus->counts().subscriptions, 1U);
  publish("a");
  EXPECT_NE(first.next(), nullptr);
  first = Subscription();
  EXPECT_EQ(bus->counts().subscriptions, 0U);
  EXPECT_EQ(first.next(), nullptr);
  EXPECT_EQ(first.wait(), nullptr);
  EXPECT_EQ(first.wait_until(kLongAgo), nullptr);
  EXPECT_EQ(first.lost(), 0U);
}

}  // namespace
}  // namespace petri
