#include "base/name_table.h"
#include "petri/events.h"

namespace petri {
namespace {

constexpr NameTable<43> kEventKinds{
    "sandbox.created", "sandbox.status",    "sandbox.destroyed",  "sandbox.failed",        "process.started",
    "process.exited",  "process.restarted", "process.gave_up",    "module.loaded",         "module.rejected",
    "run.start",       "run.stop",          "run.exception",      "killed.resource_limit", "killed.timeout",
    "usage.sampled",   "limit.warning",     "limit.met",          "breaker.opened",        "breaker.half_open",
    "breaker.closed",  "host.pressure",     "security.denied",    "security.quarantined",  "sandbox.recovery",
    "module.staged",   "module.reloaded",   "module.rolled_back", "module.no_change",      "compiling.unavailable",
    "evaluate.start",  "evaluate.stop",     "evaluate.exception", "batch.start",           "batch.stop",
    "batch.exception", "compile.start",     "compile.stop",       "compile.exception",     "gc.collected",
    "watch.reloaded",  "watch.failed",      "watch.problem"};
static_assert(static_cast<std::size_t>(EventKind::watch_problem) + 1 == kEventKinds.size());
static_assert(kEventKinds.size() < 64, "EventKinds has a bit for each");

std::vector<EventKind> list_kinds() {
  std::vector<EventKind> kinds;
  for (std::size_t i = 0; i < kEventKinds.size(); ++i) kinds.push_back(static_cast<EventKind>(i));
  return kinds;
}

}  // namespace

std::string_view name_of(EventKind kind) { return name_in(kEventKinds, kind); }

std::optional<EventKind> event_kind_named(std::string_view name) { return find_name<EventKind>(kEventKinds, name); }

const std::vector<EventKind>& all_event_kinds() {
  static const std::vector<EventKind> kinds = list_kinds();
  return kinds;
}

}  // namespace petri
