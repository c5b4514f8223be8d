#include "petri/event_sinks.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/name_table.h"
#include "base/text/escape.h"
#include "telemetry/event_rules.h"

namespace petri {
namespace {

constexpr NameTable<4> kEventLevels{"debug", "info", "warning", "error"};

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-+/:").find(c) != std::string_view::npos;
}

// Quotes around what is more than a word, so that no text can be taken for another key.
std::string text_of(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), is_plain);
  return plain ? text : json_string(text);
}
std::string text_of(std::int64_t number) { return fmt::format("{}", number); }
std::string text_of(std::uint64_t number) { return fmt::format("{}", number); }
std::string text_of(double number) { return fmt::format("{}", number); }

std::string subject_of(const Event& event) {
  return event.process.empty() ? event.sandbox : event.sandbox + '/' + event.process;
}

}  // namespace

std::string to_text(const Event& event) {
  std::string text(name_of(event.kind));
  if (const std::string subject = subject_of(event); !subject.empty()) text.append(" ").append(text_of(subject));
  if (event.correlation.id != 0) text += fmt::format(" #{}", event.correlation.id);
  for (const EventDetail& detail : event.details) {
    text.append(" ").append(detail.key).append("=");
    text += std::visit([](const auto& value) { return text_of(value); }, detail.value);
  }
  return text;
}

std::string_view name_of(EventLevel level) { return name_in(kEventLevels, level); }

EventLevel level_of(EventKind kind) { return rule_of(kind).level; }

}  // namespace petri
