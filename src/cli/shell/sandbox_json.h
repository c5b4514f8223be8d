// Sandboxes and what happens in them, as JSON; docs/reference/json.md names the keys.
#pragma once

#include <span>
#include <vector>

#include "cli/json.h"
#include "cli/shell/news.h"
#include "petri/events.h"
#include "petri/runtime.h"

namespace petri::cli {

Json to_json(const SandboxInfo& info);
Json to_json(const std::vector<ChildInfo>& children);
Json to_json(const Usage& usage);
Json to_json(std::span<const UsageSample> history);
// By the names of the limits, in their units; "call_fuel_max" is null when calls have fuel without end.
Json to_json(const SandboxLimits& limits);
Json to_json(Permissions permissions);
Json to_json(const RuntimeInfo& info);
// Whole objects, a line each: {"event": ...}, {"log": ...}, {"call": ...}
Json news_json(const Event& event);
Json news_json(const LogNews& log);
Json news_json(const CallNews& call);

}  // namespace petri::cli
