#include "telemetry/sinks/event_json.h"

#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

namespace petri {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

constexpr WallTime kTime{1'700'000'000s + 1'234'567ns};

TEST(EventJson, ReadsAsWritten) {
  Event event{.kind = EventKind::process_exited,
              .sequence = 12,
              .time = kTime,
              .sandbox = "orders",
              .process = "worker-1",
              .correlation = {7}};
  event.add("reason", "crashed").add("exit_code", -1).add("fuel_used", 18'446'744'073'709'551'615U).add("load", 0.1);
  EXPECT_EQ(to_json(event),
            R"({"event":"process.exited","sequence":12,"time":"2023-11-14T22:13:20.001234Z","sandbox":"orders",)"
            R"("process":"worker-1","correlation":7,)"
            R"("details":{"reason":"crashed","exit_code":-1,"fuel_used":18446744073709551615,"load":0.1}})");
}

TEST(EventJson, LeavesOutAProcessWhereThereIsNone) {
  EXPECT_EQ(to_json({.kind = EventKind::sandbox_created, .sandbox = "a"}),
            R"({"event":"sandbox.created","sequence":0,"time":"1970-01-01T00:00:00.000000Z","sandbox":"a",)"
            R"("correlation":0,"details":{}})");
}

TEST(EventJson, ReportsLostEventsWithTheFieldsOfAnEvent) {
  EXPECT_EQ(lost_json(990, 12, kTime),
            R"({"event":"events.lost","sequence":12,"time":"2023-11-14T22:13:20.001234Z","sandbox":"",)"
            R"("correlation":0,"details":{"count":990}})");
}

// O09
TEST(EventJson, IsOneValidLineWhateverTheTextsContain) {
  std::string hostile = "\"}\n{\"event\":\"x\"}\r\t\x1b[31m\\ \xff\xfe \xe2\x80\xae </script> ä 😀";
  hostile += '\0';
  Event event{.kind = EventKind::sandbox_failed, .time = kTime, .sandbox = hostile, .process = hostile};
  event.add("message", hostile);
  const std::string line = to_json(event);
  for (const char c : line) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20) << line;
  const json read = json::parse(line);
  EXPECT_EQ(read.size(), 6U + 1U);
  EXPECT_EQ(read["event"], "sandbox.failed");
  EXPECT_EQ(read["details"].size(), 1U);
  const auto message = read["details"]["message"].get<std::string>();
  EXPECT_EQ(message.substr(0, 20), hostile.substr(0, 20));
  EXPECT_NE(message.find("ä 😀"), std::string::npos);
}

TEST(EventJson, WritesNumbersJsonHasNoWordForAsText) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Event event;
  event.add("a", std::numeric_limits<double>::quiet_NaN()).add("b", kInfinity).add("c", -kInfinity).add("d", 1e300);
  const json details = json::parse(to_json(event))["details"];
  EXPECT_EQ(details["a"], "nan");
  EXPECT_EQ(details["b"], "inf");
  EXPECT_EQ(details["c"], "-inf");
  EXPECT_EQ(details["d"], 1e300);
}

// The wall clock may be wrong by decades.
TEST(EventJson, WritesTimesBefore1970Too) {
  const Event event{.time = WallTime(-1ns)};
  EXPECT_EQ(json::parse(to_json(event))["time"], "1969-12-31T23:59:59.999999Z");
}

}  // namespace
}  // namespace petri
