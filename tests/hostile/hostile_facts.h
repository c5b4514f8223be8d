// What the suite sees while it runs. With PETRI_FACTS it is written there, a line of JSON for each case that begins and
// ends: the program `hostile_suite` makes a page of it.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>

#include "hostile/latency_histogram.h"

namespace petri {

// Resident memory of this process.
inline std::uint64_t resident_bytes() {
  std::uint64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * 4'096;
}

// How long it took until ...
enum class Latency {
  trap,         // ... a guest that traps at once was known to have trapped
  deadline,     // ... a guest was ended after its time was over
  cancel,       // ... a cancelled guest had ended
  destroy,      // ... a sandbox was destroyed, whatever its guests did
  refusal,      // ... code was refused
  canary,       // ... a canary answered beside hostile guests
  idle_canary,  // ... a canary answered when nothing else happened
  info,         // ... info on a canary was there
};
constexpr std::size_t kLatencies = 8;
inline std::string_view name_of(Latency latency) {
  constexpr std::string_view kNames[kLatencies] = {"trap",    "deadline", "cancel",      "destroy",
                                                   "refusal", "canary",   "idle_canary", "info"};
  return kNames[static_cast<std::size_t>(latency)];
}

// One for the process. note_*() and covers() may be called from any thread.
class HostileFacts {
 public:
  static HostileFacts& instance() {
    static HostileFacts facts;
    return facts;
  }
  void open(const std::string& path) { file_.open(path, std::ios::app); }

  void note(Latency latency, std::chrono::nanoseconds time) {
    const std::lock_guard lock(mutex_);
    latencies_[static_cast<std::size_t>(latency)].add(time);
  }
  // Ids of hostile-guests.md, with spaces between them.
  void covers(std::string_view ids) {
    const std::lock_guard lock(mutex_);
    while (!ids.empty()) {
      const std::size_t end = std::min(ids.find(' '), ids.size());
      ids_.emplace(ids.substr(0, end));
      ids.remove_prefix(std::min(end + 1, ids.size()));
    }
  }
  void note_missed_canary() {
    const std::lock_guard lock(mutex_);
    ++missed_canaries_;
  }

  void begin(const std::string& test, std::uint64_t seed) {
    const std::lock_guard lock(mutex_);
    ids_.clear();
    latencies_ = {};
    missed_canaries_ = 0;
    resident_before_ = resident_bytes();
    write({{"fact", "begin"}, {"test", test}, {"seed", seed}});
  }
  void end(nlohmann::json facts) {
    const std::lock_guard lock(mutex_);
    facts["fact"] = "end";
    facts["ids"] = ids_;
    facts["missed_canaries"] = missed_canaries_;
    facts["resident_before"] = resident_before_;
    facts["resident_after"] = resident_bytes();
    for (std::size_t i = 0; i < kLatencies; ++i) {
      if (latencies_[i].count() == 0) continue;
      facts["latencies"][std::string(name_of(static_cast<Latency>(i)))] = latencies_[i].to_json();
    }
    write(facts);
  }

 private:
  void write(const nlohmann::json& line) {
    if (file_.is_open()) file_ << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }

  std::mutex mutex_;
  std::ofstream file_;
  std::set<std::string> ids_;
  std::array<LatencyHistogram, kLatencies> latencies_;
  std::uint64_t missed_canaries_ = 0;
  std::uint64_t resident_before_ = 0;
};

}  // namespace petri
