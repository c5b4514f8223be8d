// The details of each kind of event: the one table that the reference page shows and tests hold events to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "petri/event_sinks.h"
#include "petri/events.h"

namespace petri {

// The type of a detail: a string, an integer, or a number with a fraction.
enum class DetailType { text, integer, number };
std::string_view name_of(DetailType type);

struct DetailRule {
  std::string_view key;
  DetailType type;
  std::string_view meaning;
  bool always = true;  // otherwise only where there is something to report
};

struct EventRule {
  EventKind kind;
  std::string_view meaning;
  std::vector<DetailRule> details;
  EventLevel level = EventLevel::info;
};
// One a kind, in the order of EventKind.
const std::vector<EventRule>& event_rules();
const EventRule& rule_of(EventKind kind);

}  // namespace petri
