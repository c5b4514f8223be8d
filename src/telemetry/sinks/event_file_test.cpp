#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <thread>

#include "base/files/test_file.h"
#include "petri/event_sinks.h"
#include "telemetry/bare_event.h"
#include "telemetry/event_bus.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class EventFileTest : public ::testing::Test {
 protected:
  Result<std::unique_ptr<EventFile>> try_start(EventFileOptions options, std::size_t queue_max = kEventQueueDefault) {
    return EventFile::start(std::move(*bus->subscribe({.queue_max = queue_max})), std::move(options));
  }
  std::unique_ptr<EventFile> start(std::size_t queue_max = kEventQueueDefault,
                                   std::chrono::nanoseconds retry_interval = 1h) {
    auto started = try_start({.path = file.path(), .retry_interval = retry_interval}, queue_max);
    EXPECT_TRUE(started);
    return std::move(*started);
  }
  void publish(int times = 1) {
    for (int i = 0; i < times; ++i) bus->publish(EventKind::run_start, {.sandbox = "a"}, kBareEvent);
  }
  template <typename Condition>
  static void wait_until(const Condition& condition) {
    while (!condition()) std::this_thread::yield();
  }
  static void wait_for_problem(const EventFile& events) {
    wait_until([&] { return !events.status().problem.empty(); });
  }

  std::vector<json> lines() const {
    std::vector<json> read;
    std::istringstream text(file.read());
    for (std::string line; std::getline(text, line);) read.push_back(json::parse(line));
    return read;
  }
  std::vector<std::uint64_t> sequences() const {
    std::vector<std::uint64_t> all;
    for (const json& line : lines()) {
      if (line["event"] != "events.lost") all.push_back(line["sequence"]);
    }
    return all;
  }

  TestFile file{"events.jsonl"};
  ManualClock clock;
  std::optional<EventBus> bus{std::in_place, clock};
};

// O09
TEST_F(EventFileTest, HasOneObjectForEachEventInTheOneSpelling) {
  Subscription other = std::move(*bus->subscribe());
  const auto events = start();
  bus->publish(EventKind::sandbox_created, {.sandbox = "a", .correlation = {3}},
               [](Event& event) { event.add("modules", 2).add("duration_ns", 5ns); });
  bus->publish(EventKind::process_exited, {.sandbox = "a", .process = "b"},
               [](Event& event) { event.add("reason", "abnormal"); });
  EXPECT_TRUE(events->close());
  std::string expected;
  while (const EventPtr event = other.next()) expected += to_json(*event) + '\n';
  EXPECT_EQ(file.read(), expected);
  EXPECT_EQ(lines().size(), 2U);
  EXPECT_EQ(events->status().written, 2U);
  EXPECT_EQ(events->status().lost, 0U);
}

// O09 F11
TEST_F(EventFileTest, KeepsALineALineWhateverAGuestPutIntoATextOfIt) {
  std::string hostile = "a\n{\"event\":\"forged\"}\r\x1b[2J\x07\xff\xc3 \xe2\x80\xae</script> ä";
  hostile += '\0';
  const auto events = start();
  bus->publish(EventKind::sandbox_failed, {.sandbox = "a", .process = hostile},
               [&](Event& event) { event.add("message", hostile); });
  EXPECT_TRUE(events->close());
  const std::string text = file.read();
  for (const char c : text.substr(0, text.size() - 1)) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20) << text;
  EXPECT_EQ(text.find("</script>"), std::string::npos);
  ASSERT_EQ(lines().size(), 1U);
  EXPECT_EQ(lines()[0]["event"], "sandbox.failed");
  EXPECT_EQ(lines()[0]["details"]["message"].get<std::string>().substr(0, 8), hostile.substr(0, 8));
}

TEST_F(EventFileTest, HasLogRecordsOfOpenTelemetryWhereThatIsAskedFor) {  // O09
  Subscription other = std::move(*bus->subscribe());
  const auto events = std::move(*try_start({.path = file.path(), .format = EventFormat::otlp_json}));
  publish(3);
  EXPECT_TRUE(events->close());
  std::string expected;
  while (const EventPtr event = other.next()) expected += to_otlp_json(*event) + '\n';
  EXPECT_EQ(file.read(), expected);
}

TEST_F(EventFileTest, HasAllThatHappenedBeforeItWasClosedAndNothingAfter) {
  const auto events = start();
  publish(1'000);
  EXPECT_TRUE(events->close());
  publish(5);
  EXPECT_TRUE(events->close());
  EXPECT_EQ(sequences().size() + events->status().lost, 1'000U);
  EXPECT_EQ(events->status().written, sequences().size());
  EXPECT_EQ(bus->counts().subscriptions, 0U);
}

TEST_F(EventFileTest, HasTheRestWhenTheRuntimeIsGone) {
  const auto events = start();
  publish(100);
  bus.reset();
  EXPECT_TRUE(events->close());
  EXPECT_EQ(sequences().size(), 100U);
}

TEST_F(EventFileTest, IsClosedByItsDestructor) {
  start().reset();
  publish();
  auto again = start();
  publish(3);
  again.reset();
  EXPECT_EQ(sequences().size(), 3U);
}

TEST_F(EventFileTest, AppendsAfterTheLastCompleteLine) {
  file.write("{\"before\":1}\n{\"cut");
  const auto events = start();
  publish();
  EXPECT_TRUE(events->close());
  ASSERT_EQ(lines().size(), 2U);
  EXPECT_EQ(lines()[0], json({{"before", 1}}));
  EXPECT_EQ(lines()[1]["event"], "run.start");
}

// O07
TEST_F(EventFileTest, LosesTheNewestWhileTheDiskIsFullAndReportsHowManyInALine) {
  std::optional<FileSizeLimit> full(std::in_place, 0);
  const auto events = start(10);
  publish();
  wait_for_problem(*events);
  publish(1'000);
  EXPECT_THAT(events->status().problem, HasSubstr(file.path() + ": the lines cannot be written"));
  EXPECT_EQ(events->status().written, 0U);
  EXPECT_EQ(events->status().lost, 990U);
  EXPECT_EQ(bus->counts().lost, 990U);
  full.reset();
  EXPECT_TRUE(events->close());
  EXPECT_EQ(sequences(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
  const json loss = lines().back();
  EXPECT_EQ(loss["event"], "events.lost");
  EXPECT_EQ(loss["sequence"], 11);
  EXPECT_EQ(loss["details"], json({{"count", 990}}));
  EXPECT_EQ(loss.size(), lines()[0].size()) << "whoever reads events can read this";
  EXPECT_EQ(events->status().written, 11U);
  EXPECT_EQ(events->status().lost, 990U);
  EXPECT_EQ(events->status().problem, "");
}

TEST_F(EventFileTest, RecoversByItself) {
  const auto events = start(10, 1ms);
  for (int round = 1; round <= 3; ++round) {
    {
      const FileSizeLimit full(file.read().size() + 1);
      publish(2);
      wait_for_problem(*events);
    }
    wait_until([&] { return events->status().written == 2U * static_cast<std::uint64_t>(round); });
    EXPECT_EQ(events->status().problem, "");
  }
  EXPECT_TRUE(events->close());
  EXPECT_EQ(sequences(), (std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6}));
}

TEST_F(EventFileTest, CountsWhatItCouldNotWriteByTheEnd) {
  const auto events = start(10);
  publish(2);
  wait_until([&] { return events->status().written == 2; });
  const std::string before = file.read();
  {
    const FileSizeLimit full(before.size() + 5);
    publish();
    wait_for_problem(*events);
    publish(20);
    const auto closed = events->close();
    ASSERT_FALSE(closed);
    EXPECT_EQ(closed.error().code, ErrorCode::io_error);
    EXPECT_EQ(closed.error().detail("path"), file.path());
    EXPECT_FALSE(events->close());
  }
  EXPECT_EQ(file.read(), before);
  EXPECT_EQ(events->status().written, 2U);
  EXPECT_EQ(events->status().lost, 21U);
}

TEST_F(EventFileTest, NeverGrowsBeyondItsSize) {
  const TestFile aside("events.jsonl.1");
  auto events = std::move(*try_start({.path = file.path(), .bytes_max = kEventFileBytesMin}, 10'000));
  publish(5'000);
  EXPECT_TRUE(events->close());
  EXPECT_EQ(events->status().written, 5'000U);
  EXPECT_LE(file.read().size(), kEventFileBytesMin);
  EXPECT_LE(aside.read().size(), kEventFileBytesMin);
  EXPECT_GT(file.read().size() + aside.read().size(), kEventFileBytesMin);
  EXPECT_EQ(sequences().back(), 5'000U);
}

TEST_F(EventFileTest, IsWrittenNoFasterThanItMay) {
  auto events = std::move(*try_start({.path = file.path(), .bytes_per_second_max = 1}, 10));
  publish();
  wait_until([&] { return !file.read().empty(); });
  publish(1'000);
  EXPECT_EQ(events->status().lost, 990U) << "the first line took the time of a hundred seconds";
  EXPECT_TRUE(events->close());
  EXPECT_EQ(sequences().size(), 11U) << "what waits is written at the end";
}

TEST_F(EventFileTest, IsRefusedWhereItCannotBeWritten) {
  const TestFile pipe("pipe");
  ASSERT_EQ(::mkfifo(pipe.path().c_str(), 0600), 0);
  for (const std::string& path : {std::string("no/such/folder/events.jsonl"), std::string("/tmp"),
                                  std::string("/dev/full"), pipe.path(), std::string("a\0b", 3)}) {
    const auto refused = try_start({.path = path});
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, ErrorCode::io_error);
    EXPECT_EQ(refused.error().detail("path"), path);
  }
  EXPECT_EQ(bus->counts().subscriptions, 0U);
}

TEST_F(EventFileTest, BelongsToOneAtATime) {
  const auto events = start();
  const auto second = try_start({.path = file.path()});
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
  EXPECT_THAT(second.error().message, HasSubstr("somebody else is writing it"));
  EXPECT_TRUE(events->close());
  EXPECT_TRUE(try_start({.path = file.path()}));
}

TEST_F(EventFileTest, NamesEverythingThatIsWrongWithItsOptionsAtOnce) {
  const auto refused = try_start({.path = "", .bytes_max = 1, .bytes_per_second_max = 0, .retry_interval = 0ns});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
  for (const char* what : {"path", "bytes_max", "bytes_per_second_max", "retry_interval"})
    EXPECT_THAT(refused.error().message, HasSubstr(what));
}

TEST_F(EventFileTest, MayBeClosedAndAskedByManyThreadsAtOnce) {
  const auto events = start();
  {
    std::vector<std::jthread> threads;
    threads.emplace_back([&] { publish(500); });
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        static_cast<void>(events->status());
        EXPECT_TRUE(events->close());
      });
    }
  }
  EXPECT_EQ(events->status().written, sequences().size());
  EXPECT_THAT(events->status().problem, IsEmpty());
}

}  // namespace
}  // namespace petri
