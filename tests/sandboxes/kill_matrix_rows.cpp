// The expected effect of each limit.
#include <algorithm>

#include "kill_matrix.h"

namespace petri {
namespace {

using enum KillPlace;

constexpr std::string_view kKilled = "killed.resource_limit", kTimeout = "killed.timeout", kMet = "limit.met";
constexpr std::uint64_t kPage = 65'536;

// A run has no mailbox, no children and no timers: it finds nobody to talk to.
std::pair<KillPlace, KillVerdict> no_process(std::string_view answer) {
  return {run, {.verdict = std::string(answer), .events = "", .after = "goes on"}};
}

// Nobody waits for the end of petri_terminate: it is published as an event.
std::pair<KillPlace, KillVerdict> terminated(std::string_view events) {
  return {terminate, {.verdict = "", .events = std::string(events), .after = "gone"}};
}

KillVerdict nested_end(std::string_view verdict, std::string_view events, std::string_view caller) {
  return {
      .verdict = std::string(verdict), .events = std::string(events), .after = "its caller: " + std::string(caller)};
}

std::vector<KillRow> ending_rows() {
  return {
      {.limit = "execution_time_max",
       .what = "loops without end",
       .act = "(loop $l (br $l)) (i32.const 0)",
       .limits = {.execution_time_max = std::chrono::milliseconds(50)},
       .verdict = "deadline",
       .events = kTimeout,
       .ends = true,
       .places = all_kill_places(),
       // The callee has what is left of its caller's time, so both end.
       .instead = {terminated(kTimeout), {nested, nested_end("deadline", "killed.timeout ×2", "deadline")}}},
      {.limit = "fuel_max",
       .what = "loops without end",
       .act = "(loop $l (br $l)) (i32.const 0)",
       .limits = {.fuel_max = 100'000},
       .verdict = "out_of_fuel",
       .events = kKilled,
       .ends = true,
       .places = all_kill_places(),
       .instead = {terminated(kKilled),
                   {nested, nested_end("out_of_fuel", "killed.resource_limit ×2", "out_of_fuel")}}},
      {.limit = "cpu_percent_max",
       .what = "loops for longer than cpu_grace",
       .act = "(loop $l (br $l)) (i32.const 0)",
       .limits = {.cpu_percent_max = 20, .cpu_grace = std::chrono::milliseconds(10)},
       .verdict = "cpu_limit",
       .events = kKilled,
       .ends = true,
       .places = all_kill_places(),
       .instead = {terminated(kKilled)}},
      {.limit = "call_depth_max",
       .what = "calls itself without end",
       .act = "(call $deep) (i32.const 0)",
       .limits = {.call_depth_max = 100},
       .verdict = "stack_overflow",
       .events = kKilled,
       .ends = true,
       .places = all_kill_places(),
       .instead = {terminated(kKilled)}},
      {.limit = "memory_bytes_max",
       .what = "declares more memory than there is",
       .act = "(i32.const 0)",
       .limits = {.memory_bytes_max = 4 * kPage},
       .verdict = "memory_limit",
       .events = kKilled,
       .ends = true,
       .places = {start, run}},
      {.limit = "module_bytes_max",
       .what = "is too large a module",
       .act = "(i32.const 0)",
       .limits = {.module_bytes_max = 2'000},
       .verdict = "module_too_large",
       .events = kMet,
       .ends = true,
       .places = {start, run}},
      {.limit = "cancel",
       .what = "loops while its caller cancels",
       .act = "(loop $l (br $l)) (i32.const 0)",
       .limits = {.execution_time_max = std::chrono::seconds(20)},
       .verdict = "cancelled",
       .events = "",
       .ends = true,
       .places = {handler, run, nested},
       .instead = {{nested, nested_end("cancelled", "", "cancelled")}}},
      {.limit = "stop",
       .what = "loops while its sandbox is stopped",
       .act = "(loop $l (br $l)) (i32.const 0)",
       .limits = {.execution_time_max = std::chrono::seconds(20)},
       .verdict = "cancelled",
       .events = "",
       .ends = true,
       .places = all_kill_places(),
       .instead = {terminated(""),
                   {start, {.verdict = "start_failed", .events = "", .after = "never started"}},
                   {init, {.verdict = "start_failed", .events = "", .after = "never started"}},
                   {handler, {.verdict = "cancelled", .events = "", .after = "gone"}},
                   {nested, nested_end("cancelled", "", "cancelled")}}},
  };
}

std::vector<KillRow> refusing_rows() {
  const std::vector<KillPlace>& all = all_kill_places();
  return {
      {.limit = "memory_bytes_max",
       .what = "grows its memory past it",
       .act = "(memory.grow (i32.const 8))",
       .limits = {.memory_bytes_max = 4 * kPage},
       .verdict = "-1",
       .events = kMet,
       .places = all},
      {.limit = "process_memory_bytes_max",
       .what = "grows its memory past it",
       .act = "(memory.grow (i32.const 2))",
       .limits = {.process_memory_bytes_max = 2 * kPage},
       .verdict = "-1",
       .events = kMet,
       .places = {start, init, handler, terminate, nested}},
      {.limit = "processes_max",
       .what = "spawns one more",
       .act = "(call $spawn (i32.const 64) (i32.const 31))",
       .limits = {.processes_max = 2},
       .verdict = "limit_exceeded",
       .events = kMet,
       .places = all,
       .instead = {no_process("not_now")}},
      {.limit = "message_queue_max",
       .what = "sends itself five where four may wait",  // the witness may find three
       .act = "(drop (call $send (i32.const 32) (i32.const 5) (i32.const 0) (i32.const 1)))"
              "(drop (call $send (i32.const 32) (i32.const 5) (i32.const 0) (i32.const 1)))"
              "(drop (call $send (i32.const 32) (i32.const 5) (i32.const 0) (i32.const 1)))"
              "(drop (call $send (i32.const 32) (i32.const 5) (i32.const 0) (i32.const 1)))"
              "(call $send (i32.const 32) (i32.const 5) (i32.const 0) (i32.const 1))",
       .limits = {.message_queue_max = 4},
       .verdict = "queue_full",
       .events = kMet,
       .places = all,
       .instead = {no_process("not_found")}},
      {.limit = "message_bytes_max",
       .what = "sends a byte too many",
       .act = "(call $send (i32.const 32) (i32.const 5) (i32.const 0) (i32.const 17))",
       .limits = {.message_bytes_max = 16},
       .verdict = "too_large",
       .events = kMet,
       .places = all,
       .instead = {no_process("not_found")}},
      {.limit = "timers_max",
       .what = "sets two timers where there may be one",
       .act = "(drop (call $timer (i32.const 60000) (i64.const 1))) (call $timer (i32.const 60000) (i64.const 2))",
       .limits = {.timers_max = 1},
       .verdict = "limit_exceeded",
       .events = kMet,
       .places = all,
       .instead = {no_process("not_now")}},
      {.limit = "output_bytes_max",
       .what = "answers with twice as much",
       .act = "(call $write (i32.const 0) (i32.const 16))",
       .limits = {.output_bytes_max = 8},
       .verdict = "8",
       .events = kMet,
       .places = all,
       // Where somebody reads the answer, the outcome says that it was cut; a run has nothing but its answer, and ends.
       .instead = {{handler, {.verdict = "output_limit", .events = std::string(kMet), .after = "goes on"}},
                   {run, {.verdict = "output_limit", .events = std::string(kKilled), .after = "goes on"}}}},
      {.limit = "log_bytes_per_second_max",
       .what = "logs a line that is too long for a second",
       .act = "(call $log (i32.const 2) (i32.const 0) (i32.const 16))",
       .limits = {.log_bytes_per_second_max = 8},
       .verdict = "limit_exceeded",
       .events = kMet,
       .places = all},
  };
}

// The rows where the spec says that the limit is to end the guest.
std::vector<KillRow> killing_rows() {
  std::vector<KillRow> rows;
  for (KillRow row : refusing_rows()) {
    const bool is_memory = row.limit.ends_with("memory_bytes_max");
    row.what += ", on_limit: kill";
    row.on_limit = {{std::string(row.limit), OnLimit::kill}};
    row.verdict = is_memory ? "memory_limit" : (row.limit == "output_bytes_max" ? "output_limit" : "cancelled");
    row.events = kKilled;
    row.ends = true;
    // A run that finds nobody to talk to meets no limit.
    std::erase_if(row.instead, [](const auto& place) { return !place.second.events.empty(); });
    row.instead.push_back(terminated(kKilled));
    rows.push_back(std::move(row));
  }
  return rows;
}

// The fate of the process, unless a row says otherwise.
std::string after(bool ends, KillPlace place) {
  switch (place) {
    case start:
    case init: return ends ? "never started" : "goes on";
    case handler: return ends ? "restarted" : "goes on";
    case terminate: return "gone";
    case run: return "goes on";
    case nested: return ends ? "its caller: cancelled" : "its caller: ok";
  }
  return {};
}

}  // namespace

std::string_view name_of(KillPlace place) {
  constexpr std::string_view kNames[] = {"start", "init", "handler", "terminate", "run", "nested"};
  return kNames[static_cast<std::size_t>(place)];
}

const std::vector<KillPlace>& all_kill_places() {
  static const std::vector<KillPlace> places{start, init, handler, terminate, run, nested};
  return places;
}

KillVerdict KillRow::expected(KillPlace place) const {
  const auto other = std::ranges::find(instead, place, &std::pair<KillPlace, KillVerdict>::first);
  if (other != instead.end()) return other->second;
  return {.verdict = std::string(verdict), .events = std::string(events), .after = after(ends, place)};
}

const std::vector<KillRow>& kill_rows() {
  static const std::vector<KillRow> rows = [] {
    std::vector<KillRow> all = ending_rows();
    for (KillRow& row : refusing_rows()) all.push_back(std::move(row));
    for (KillRow& row : killing_rows()) all.push_back(std::move(row));
    return all;
  }();
  return rows;
}

}  // namespace petri
