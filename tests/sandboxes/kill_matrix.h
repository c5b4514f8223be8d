// The kill matrix: every limit, met on purpose in each place where a guest can meet it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "petri/runtime.h"

namespace petri {

// Where the guest is when it meets the limit: its start function, petri_init, petri_handle, petri_terminate, a run, or
// petri_handle of a process that another guest calls.
enum class KillPlace { start, init, handler, terminate, run, nested };
std::string_view name_of(KillPlace place);
const std::vector<KillPlace>& all_kill_places();

// The fate of the guest and of its process, and the events that were published.
struct KillVerdict {
  std::string verdict;  // an outcome, an error, or what the guest was answered
  std::string events;   // the events that name the limit
  std::string after;    // what became of the process; of a nested call, what its caller has seen
  bool operator==(const KillVerdict&) const = default;
};

// A limit, what a guest does to meet it, and what is to come of it.
struct KillRow {
  std::string_view limit;  // its name, or `cancel` and `stop`
  std::string what;        // the guest does
  std::string_view act;    // the same in wat: what leaves an i32
  LimitChanges limits;
  LimitActions on_limit;
  std::string_view verdict;  // unless a place has another below
  std::string_view events;
  bool ends = false;  // the guest; else it continues
  std::vector<KillPlace> places;
  // Where it is not as the row says.
  std::vector<std::pair<KillPlace, KillVerdict>> instead;

  KillVerdict expected(KillPlace place) const;
};
const std::vector<KillRow>& kill_rows();

// The part of the page that a row belongs to, and its line there without the times.
std::string_view section_of(const KillRow& row);
std::string table_line(const KillRow& row, KillPlace place, const KillVerdict& verdict);

struct KillObservation {
  KillVerdict verdict;
  // From the call to its result; of execution_time_max how late it came, of `cancel` and `stop` since they were asked
  // for.
  std::chrono::nanoseconds latency{0};
};
// Makes a sandbox, lets its guest meet the limit, and destroys it.
KillObservation observe_kill(Runtime& runtime, const KillRow& row, KillPlace place, Tier tier);

}  // namespace petri
