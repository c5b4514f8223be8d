#include <gtest/gtest.h>

#include <limits>
#include <nlohmann/json.hpp>

#include "telemetry/sinks/event_json.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json log_record(const std::string& line) {
  return json::parse(line)["resourceLogs"][0]["scopeLogs"][0]["logRecords"][0];
}

json value_of(const json& record, std::string_view key) {
  for (const json& attribute : record["attributes"]) {
    if (attribute["key"] == key) return attribute["value"];
  }
  return nullptr;
}

TEST(OtlpJson, IsALogRecordWithAnAttributeForEachFact) {  // O09
  Event event{.kind = EventKind::process_exited,
              .sequence = 12,
              .time = WallTime(1'700'000'000s + 1'234'567ns),
              .sandbox = "orders",
              .process = "worker-1",
              .correlation = {7}};
  event.add("reason", "crashed").add("exit_code", -1).add("load", 0.5).add("big", UINT64_MAX);
  event.add("rate", std::numeric_limits<double>::infinity());
  const json record = log_record(to_otlp_json(event));
  EXPECT_EQ(record["timeUnixNano"], "1700000000001234567");
  EXPECT_EQ(record["eventName"], "process.exited");
  EXPECT_EQ(record["severityText"], "INFO");
  EXPECT_EQ(value_of(record, "petri.sandbox")["stringValue"], "orders");
  EXPECT_EQ(value_of(record, "petri.process")["stringValue"], "worker-1");
  EXPECT_EQ(value_of(record, "petri.correlation")["intValue"], "7");
  EXPECT_EQ(value_of(record, "petri.exit_code")["intValue"], "-1");
  EXPECT_EQ(value_of(record, "petri.load")["doubleValue"], 0.5);
  EXPECT_EQ(value_of(record, "petri.big")["stringValue"], "18446744073709551615");
  EXPECT_EQ(value_of(record, "petri.rate")["stringValue"], "inf");
}

TEST(OtlpJson, IsOneValidLineWhateverTheTextsContain) {  // O09
  Event event{.kind = EventKind::sandbox_failed, .sandbox = "a"};
  event.add("message", "\"}\n{\x1b[31m\\ \xff");
  const std::string line = to_otlp_json(event);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_EQ(log_record(line)["severityText"], "ERROR");
}

TEST(OtlpJson, ReportsLostEvents) {  // O09
  const json record = log_record(lost_otlp_json(990, 12, {}));
  EXPECT_EQ(record["eventName"], "events.lost");
  EXPECT_EQ(value_of(record, "petri.count")["intValue"], "990");
}

}  // namespace
}  // namespace petri
