#include "telemetry/sinks/event_json.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text/escape.h"
#include "base/text/utc_time.h"

namespace petri {
namespace {

std::string json_of(const std::string& text) { return json_string(text); }
std::string json_of(std::int64_t number) { return fmt::format("{}", number); }
std::string json_of(std::uint64_t number) { return fmt::format("{}", number); }
std::string json_of(double number) {
  if (std::isnan(number)) return "\"nan\"";
  return std::isinf(number) ? fmt::format("\"{}\"", number) : fmt::format("{}", number);
}

std::string details_object(const std::vector<EventDetail>& details) {
  std::string json = "{";
  for (const EventDetail& detail : details) {
    if (json.size() > 1) json += ',';
    json.append(json_string(detail.key)).append(":");
    json += std::visit([](const auto& value) { return json_of(value); }, detail.value);
  }
  return json += '}';
}

}  // namespace

std::string to_json(const Event& event) {
  const std::string process = event.process.empty() ? "" : ",\"process\":" + json_string(event.process);
  return fmt::format(R"({{"event":"{}","sequence":{},"time":"{}","sandbox":{}{},"correlation":{},"details":{}}})",
                     name_of(event.kind), event.sequence, to_utc_text(event.time), json_string(event.sandbox), process,
                     event.correlation.id, details_object(event.details));
}

std::string lost_json(std::uint64_t count, std::uint64_t sequence, WallTime time) {
  return fmt::format(
      R"({{"event":"events.lost","sequence":{},"time":"{}","sandbox":"","correlation":0,"details":{{"count":{}}}}})",
      sequence, to_utc_text(time), count);
}

}  // namespace petri
