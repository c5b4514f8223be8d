// Events as log records of OpenTelemetry, in the form that its collector reads from files (OTLP/JSON).
#include <fmt/format.h>

#include "base/text/escape.h"
#include "petri/event_sinks.h"
#include "telemetry/event_rules.h"
#include "telemetry/sinks/event_json.h"

namespace petri {
namespace {

// Integers are strings there, as 64 bits are in protobuf's JSON.
std::string value_of(const std::string& text) { return fmt::format(R"({{"stringValue":{}}})", json_string(text)); }
std::string value_of(std::int64_t number) { return fmt::format(R"({{"intValue":"{}"}})", number); }
std::string value_of(std::uint64_t number) {
  if (number <= INT64_MAX) return value_of(static_cast<std::int64_t>(number));
  return value_of(fmt::format("{}", number));
}
std::string value_of(double number) {
  if (number - number != 0) return value_of(fmt::format("{}", number));  // nan and infinities
  return fmt::format(R"({{"doubleValue":{}}})", number);
}

std::string attribute(std::string_view key, const auto& value) {
  return fmt::format(R"({{"key":"petri.{}","value":{}}})", key, value_of(value));
}

// The numbers of severity that OpenTelemetry has: DEBUG, INFO, WARN, ERROR.
struct Severity {
  int number;
  std::string_view text;
};
Severity severity_of(EventLevel level) {
  switch (level) {
    case EventLevel::debug: return {5, "DEBUG"};
    case EventLevel::info: return {9, "INFO"};
    case EventLevel::warning: return {13, "WARN"};
    case EventLevel::error: return {17, "ERROR"};
  }
  return {0, ""};
}

std::string record(std::string_view name, WallTime time, EventLevel level, const std::string& attributes) {
  const Severity severity = severity_of(level);
  return fmt::format(
      R"({{"resourceLogs":[{{"resource":{{"attributes":[{{"key":"service.name","value":{{"stringValue":"petri"}}}}]}},)"
      R"("scopeLogs":[{{"scope":{{"name":"petri.events"}},"logRecords":[{{"timeUnixNano":"{}","severityNumber":{},)"
      R"("severityText":"{}","eventName":"{}","body":{{"stringValue":"{}"}},"attributes":[{}]}}]}}]}}]}})",
      time.time_since_epoch().count(), severity.number, severity.text, name, name, attributes);
}

}  // namespace

std::string to_otlp_json(const Event& event) {
  std::string attributes = attribute("sequence", event.sequence);
  const auto add = [&](std::string_view key, const auto& value) { attributes += "," + attribute(key, value); };
  if (!event.sandbox.empty()) add("sandbox", event.sandbox);
  if (!event.process.empty()) add("process", event.process);
  if (event.correlation.id != 0) add("correlation", event.correlation.id);
  for (const EventDetail& detail : event.details)
    std::visit([&](const auto& value) { add(detail.key, value); }, detail.value);
  return record(name_of(event.kind), event.time, level_of(event.kind), attributes);
}

std::string lost_otlp_json(std::uint64_t count, std::uint64_t sequence, WallTime time) {
  return record("events.lost", time, EventLevel::warning,
                attribute("sequence", sequence) + "," + attribute("count", count));
}

}  // namespace petri
