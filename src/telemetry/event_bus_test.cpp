#include "telemetry/event_bus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <new>

#include "telemetry/bare_event.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EventBusTest : public ::testing::Test {
 protected:
  Subscription subscribe(SubscriptionOptions options = {}) {
    auto subscription = bus.subscribe(std::move(options));
    EXPECT_TRUE(subscription);
    return std::move(*subscription);
  }
  static std::vector<std::string> read(Subscription& subscription) {
    std::vector<std::string> seen;
    while (const EventPtr event = subscription.next()) {
      seen.push_back(std::string(name_of(event->kind)) + " " + event->sandbox + event->process);
    }
    return seen;
  }
  void change_status(std::string_view from, std::string_view to, std::string_view cause = {}) {
    bus.publish(EventKind::sandbox_status, {.sandbox = "a"}, [&](Event& event) {
      event.add("from", from).add("to", to);
      if (!cause.empty()) event.add("cause", cause);
    });
  }

  ManualClock clock;
  EventBus bus{clock};
};

TEST_F(EventBusTest, MakesNoEventThatNobodyHears) {
  int made = 0;
  const auto count = [&made](Event&) { ++made; };
  bus.publish(EventKind::run_start, {.sandbox = "a"}, count);
  Subscription other_kind = subscribe({.kinds = {EventKind::run_stop}});
  bus.publish(EventKind::run_start, {.sandbox = "a"}, count);
  Subscription other_sandbox = subscribe({.sandbox = "b"});
  bus.publish(EventKind::run_start, {.sandbox = "a"}, count);
  EXPECT_EQ(made, 0);
  EXPECT_EQ(bus.counts(), (EventCounts{.subscriptions = 2}));

  bus.publish(EventKind::run_start, {.sandbox = "b"}, count);
  bus.publish(EventKind::run_stop, {.sandbox = "b"}, count);
  EXPECT_EQ(made, 2) << "once, for however many that hear it";
  EXPECT_THAT(read(other_sandbox), ElementsAre("run.start b", "run.stop b"));
  EXPECT_THAT(read(other_kind), ElementsAre("run.stop b"));
}

TEST_F(EventBusTest, WantsWhatSomebodyListensToAndNoLonger) {
  EXPECT_FALSE(bus.wants(EventKind::run_start));
  {
    const Subscription one = subscribe({.kinds = {EventKind::run_start}});
    Subscription two = subscribe({.kinds = {EventKind::run_start, EventKind::run_stop}});
    EXPECT_TRUE(bus.wants(EventKind::run_stop));
    two.end();
    EXPECT_TRUE(bus.wants(EventKind::run_start));
    EXPECT_FALSE(bus.wants(EventKind::run_stop));
  }
  EXPECT_FALSE(bus.wants(EventKind::run_start));
  EXPECT_EQ(bus.counts().subscriptions, 0U);
}

// O01
TEST_F(EventBusTest, GivesEveryEventTimeSandboxAndTheCorrelationOfItsOperation) {
  Subscription subscription = subscribe();
  const Correlation create = bus.new_correlation();
  const Correlation other = bus.new_correlation();
  clock.set_wall(WallTime(5s));
  bus.publish(EventKind::module_loaded, {.sandbox = "a", .correlation = create}, kBareEvent);
  bus.publish(EventKind::run_start, {.sandbox = "b", .correlation = other}, kBareEvent);
  clock.advance(1s);
  bus.publish(EventKind::process_started, {.sandbox = "a", .process = "p", .correlation = create}, kBareEvent);
  bus.publish(EventKind::sandbox_created, {.sandbox = "a", .correlation = create}, kBareEvent);

  std::vector<std::uint64_t> of_create;
  while (const EventPtr event = subscription.next()) {
    EXPECT_EQ(event->time, WallTime(event->sequence <= 2 ? 5s : 6s));
    EXPECT_EQ(event->sandbox, event->correlation == create ? "a" : "b");
    if (event->correlation == create) of_create.push_back(event->sequence);
  }
  EXPECT_THAT(of_create, ElementsAre(1, 3, 4));
  EXPECT_NE(create, other);
  EXPECT_NE(create, Correlation());
}

// O02, as far as the bus goes
TEST_F(EventBusTest, PublishesEachChangeOfStatusOnceInOrder) {
  Subscription subscription = subscribe({.sandbox = "a"});
  change_status("starting", "running");
  change_status("running", "reloading");
  change_status("reloading", "running");
  change_status("running", "failed", "out_of_fuel");
  bus.publish(EventKind::sandbox_failed, {.sandbox = "a"}, [](Event& event) { event.add("cause", "out_of_fuel"); });

  std::vector<std::string> seen;
  EventPtr last;
  while (const EventPtr event = subscription.next()) {
    last = event;
    if (event->kind != EventKind::sandbox_status) continue;
    seen.push_back(std::string(event->text("from")) + ">" + std::string(event->text("to")));
  }
  EXPECT_THAT(seen, ElementsAre("starting>running", "running>reloading", "reloading>running", "running>failed"));
  EXPECT_EQ(last->kind, EventKind::sandbox_failed);
  EXPECT_EQ(last->text("cause"), "out_of_fuel");
}

// O07
TEST_F(EventBusTest, KeepsTheFirstEventsForOneWhoNeverReadsAndCountsTheRest) {
  Subscription never_reads = subscribe({.queue_max = 3});
  Subscription reads = subscribe();
  for (int i = 0; i < 10; ++i) bus.publish(EventKind::run_start, {.sandbox = std::to_string(i)}, kBareEvent);
  EXPECT_EQ(never_reads.lost(), 7U);
  EXPECT_EQ(reads.lost(), 0U);
  EXPECT_EQ(bus.counts(), (EventCounts{.published = 10, .lost = 7, .subscriptions = 2}));
  EXPECT_EQ(read(reads).size(), 10U);
  EXPECT_THAT(read(never_reads), ElementsAre("run.start 0", "run.start 1", "run.start 2"));

  bus.publish(EventKind::run_stop, {.sandbox = "9"}, kBareEvent);
  EXPECT_THAT(read(never_reads), ElementsAre("run.stop 9")) << "there is room again";
  EXPECT_EQ(never_reads.lost(), 7U);
}

// O07: what a storm of crashes leaves is bounded by the queue.
TEST_F(EventBusTest, BoundsWhatAStormOfAThousandChildrenLeaves) {
  Subscription subscription = subscribe();
  const auto crash = [&](int child) {
    const std::string name = "child-" + std::to_string(child);
    const EventSubject subject{.sandbox = "storm", .process = name};
    bus.publish(EventKind::process_exited, subject, [](Event& event) { event.add("reason", "crashed"); });
    bus.publish(EventKind::process_restarted, subject, [](Event& event) { event.add("restarts", 1); });
  };
  for (int child = 0; child < 1'000; ++child) crash(child);
  EXPECT_EQ(read(subscription).size(), kEventQueueDefault);
  EXPECT_EQ(subscription.lost(), 2'000U - kEventQueueDefault);
}

// O07: nobody hides what others do by flooding.
TEST_F(EventBusTest, PublishesWhatOthersDoWhileOneSandboxFloods) {
  Subscription subscription = subscribe({.queue_max = 5});
  for (int i = 0; i < 1'000; ++i) bus.publish(EventKind::limit_met, {.sandbox = "hostile"}, kBareEvent);
  bus.publish(EventKind::sandbox_failed, {.sandbox = "honest"}, kBareEvent);
  for (int i = 0; i < 1'000; ++i) bus.publish(EventKind::limit_met, {.sandbox = "hostile"}, kBareEvent);
  EXPECT_EQ(subscription.lost(), 1'996U);
  EXPECT_EQ(bus.counts().lost, 1'996U);
  EXPECT_THAT(read(subscription), ElementsAre("limit.met hostile", "limit.met hostile", "limit.met hostile",
                                              "limit.met hostile", "sandbox.failed honest"));
}

// O08
TEST_F(EventBusTest, NotifiesASubscriberOfOneSandboxAndKindOfJustThoseOnceAndOfNothingAfterItsEnd) {
  Subscription subscription = subscribe({.sandbox = "a", .kinds = {EventKind::process_exited}});
  const auto everything = [&] {
    for (const auto* const sandbox : {"a", "b", "aa", "A"}) {
      for (const EventKind kind : all_event_kinds())
        bus.publish(kind, {.sandbox = sandbox, .process = "p"}, kBareEvent);
    }
  };
  everything();
  EXPECT_THAT(read(subscription), ElementsAre("process.exited ap"));
  everything();
  subscription.end();
  EXPECT_THAT(read(subscription), IsEmpty()) << "what waited is forgotten";
  everything();
  EXPECT_THAT(read(subscription), IsEmpty());
  EXPECT_EQ(subscription.wait(), nullptr);
}

TEST_F(EventBusTest, NotifiesASubscriberOfOneProcessOfThatAlone) {
  Subscription subscription = subscribe({.sandbox = "a", .process = "p"});
  for (const auto* const process : {"", "p", "q"}) {
    bus.publish(EventKind::process_exited, {.sandbox = "a", .process = process}, kBareEvent);
  }
  EXPECT_THAT(read(subscription), ElementsAre("process.exited ap"));
}

TEST_F(EventBusTest, RefusesOptionsUnderWhichNothingCouldArriveAndNamesAllAtOnce) {
  const auto refused = bus.subscribe({.sandbox = "../x", .kinds = {}, .queue_max = 0});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(refused.error().message, HasSubstr("\"../x\""));
  EXPECT_THAT(refused.error().message, HasSubstr("at least one kind"));
  EXPECT_THAT(refused.error().message, HasSubstr("queue_max is 0 but goes from 1 to 1000000"));
  EXPECT_FALSE(bus.subscribe({.queue_max = kEventQueueMax + 1}));
  EXPECT_EQ(bus.counts(), EventCounts());
  EXPECT_FALSE(bus.wants(EventKind::run_start));
}

TEST_F(EventBusTest, CountsAnEventThatMemoryDoesNotSufficeForAsLost) {
  Subscription subscription = subscribe();
  bus.publish(EventKind::run_start, {.sandbox = "a"}, [](Event&) { throw std::bad_alloc(); });
  bus.publish(EventKind::run_stop, {.sandbox = "a"}, kBareEvent);
  EXPECT_THAT(read(subscription), ElementsAre("run.stop a"));
  EXPECT_EQ(bus.counts().lost, 1U);
}

// Details may be gathered by code that itself has something to publish.
TEST_F(EventBusTest, CanBePublishedToWhileAnEventIsMade) {
  Subscription subscription = subscribe();
  bus.publish(EventKind::run_start, {.sandbox = "outer"},
              [&](Event&) { bus.publish(EventKind::run_stop, {.sandbox = "inner"}, kBareEvent); });
  EXPECT_THAT(read(subscription), ElementsAre("run.stop inner", "run.start outer"));
}

}  // namespace
}  // namespace petri
