#include "petri/logging/event_logger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/ostream_sink.h>

#include <future>
#include <optional>
#include <sstream>

#include "telemetry/bare_event.h"
#include "telemetry/event_bus.h"

namespace petri {
namespace {

class EventLoggerTest : public ::testing::Test {
 protected:
  EventLoggerTest() {
    logger->set_pattern("%l %v");
    logger->set_level(spdlog::level::trace);
  }
  EventListener log(SubscriptionOptions options = {}) {
    auto listener = log_events(std::move(*bus->subscribe(std::move(options))), logger);
    EXPECT_TRUE(listener);
    return std::move(*listener);
  }

  std::ostringstream text;
  std::shared_ptr<spdlog::logger> logger =
      std::make_shared<spdlog::logger>("events", std::make_shared<spdlog::sinks::ostream_sink_mt>(text));
  ManualClock clock;
  std::optional<EventBus> bus{std::in_place, clock};
};

TEST_F(EventLoggerTest, LogsEachEventAtTheLevelOfItsKind) {
  EventListener listener = log();
  bus->publish(EventKind::sandbox_created, {.sandbox = "a", .correlation = {1}},
               [](Event& event) { event.add("modules", 1); });
  bus->publish(EventKind::run_start, {.sandbox = "a"}, [](Event& event) { event.add("function", "main"); });
  bus->publish(EventKind::killed_timeout, {.sandbox = "a", .process = "b"},
               [](Event& event) { event.add("limit", "execution_time_max"); });
  bus->publish(EventKind::sandbox_failed, {.sandbox = "a"}, [](Event& event) { event.add("message", "it is over"); });
  listener.finish();
  EXPECT_EQ(text.str(),
            "info sandbox.created a #1 modules=1\n"
            "debug run.start a function=main\n"
            "warning killed.timeout a/b limit=execution_time_max\n"
            "error sandbox.failed a message=\"it is over\"\n");
}

TEST_F(EventLoggerTest, LeavesOutWhatTheLoggerDoesNotLog) {
  logger->set_level(spdlog::level::warn);
  EventListener listener = log();
  bus->publish(EventKind::run_start, {.sandbox = "a"}, kBareEvent);
  bus->publish(EventKind::killed_timeout, {.sandbox = "a"}, kBareEvent);
  listener.finish();
  EXPECT_EQ(text.str(), "warning killed.timeout a\n");
}

// F11
TEST_F(EventLoggerTest, LogsOneHarmlessLineWhateverAGuestPutIntoAText) {
  EventListener listener = log();
  bus->publish(EventKind::sandbox_failed, {.sandbox = "a"},
               [](Event& event) { event.add("message", "{} {0} %s %v\nerror forged\x1b[31m"); });
  listener.finish();
  EXPECT_EQ(text.str(), "error sandbox.failed a message=\"{} {0} %s %v\\nerror forged\\u001b[31m\"\n");
}

// Holds its logger up until it is let go.
class HeldSink final : public spdlog::sinks::base_sink<std::mutex> {
 public:
  std::promise<void> entered, leave;
  std::vector<std::string> seen;

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    if (seen.empty()) {
      entered.set_value();
      leave.get_future().wait();
    }
    seen.emplace_back(message.payload.data(), message.payload.size());
  }
  void flush_() override {}
};

// O07
TEST_F(EventLoggerTest, LogsHowManyAreMissingWhenALogIsTooSlow) {
  const auto held = std::make_shared<HeldSink>();
  logger = std::make_shared<spdlog::logger>("slow", held);
  EventListener listener = log({.kinds = {EventKind::sandbox_status}, .queue_max = 3});
  bus->publish(EventKind::sandbox_status, {.sandbox = "a"}, kBareEvent);
  held->entered.get_future().wait();
  for (int i = 0; i < 100; ++i) bus->publish(EventKind::sandbox_status, {.sandbox = "a"}, kBareEvent);
  held->leave.set_value();
  listener.finish();
  EXPECT_EQ(held->seen, (std::vector<std::string>{"sandbox.status a", "sandbox.status a", "sandbox.status a",
                                                  "sandbox.status a", "events.lost count=97"}));
}

TEST_F(EventLoggerTest, NeedsALogger) {
  EXPECT_EQ(log_events(std::move(*bus->subscribe()), nullptr).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(bus->counts().subscriptions, 0U);
}

}  // namespace
}  // namespace petri
