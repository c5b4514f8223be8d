// The facts that the suite sees while it runs. With PETRI_FACTS they are written there, a line of JSON for each case
// that starts and ends: the program `hostile_suite` makes a page of them.
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
#include <utility>
#include <vector>

#include "hostile/hostile_oracle.h"
#include "hostile/hostile_settings.h"
#include "hostile/latency_histogram.h"

namespace petri {

// Resident memory of this process but for what is a file's, as its own code is.
inline std::uint64_t resident_bytes() {
  std::uint64_t total = 0, resident = 0, of_files = 0;
  std::ifstream("/proc/self/statm") >> total >> resident >> of_files;
  return (resident - of_files) * 4'096;
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
    const LatencyBound& bound = kBounds[static_cast<std::size_t>(latency)];
    const bool in_time = time <= bound_of(bound, copy_count() > 1);
    const std::lock_guard lock(mutex_);
    latencies_[static_cast<std::size_t>(latency)].add(time);
    count(bound.line, in_time, in_time ? "" : late(bound, time));
  }
  // A line of the oracle was looked at. The caller says what was wrong.
  void check(Oracle line, bool holds, const std::string& what = {}) {
    const std::lock_guard lock(mutex_);
    count(line, holds, what);
  }
  // The signature of a case in this tier, in an order of its own: compared with that in the others (V9).
  void note_signature(std::vector<std::string> signature) {
    const std::lock_guard lock(mutex_);
    signature_ = std::move(signature);
  }
  // The operations that took so much longer than they may that no busy machine explains it; empty when none did.
  std::string much_too_late() const {
    const std::lock_guard lock(mutex_);
    return much_too_late_;
  }
  // Ids of docs/hostile-cases.md, with spaces between them.
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
    oracle_.clear();
    signature_.clear();
    much_too_late_.clear();
    resident_before_ = resident_bytes();
    write({{"fact", "begin"}, {"test", test}, {"seed", seed}});
  }
  void end(nlohmann::json facts) {
    const std::lock_guard lock(mutex_);
    check_canaries();
    facts["fact"] = "end";
    facts["ids"] = ids_;
    facts["missed_canaries"] = missed_canaries_;
    facts["oracle"] = to_json(oracle_);
    facts["signature"] = signature_;
    facts["resident_before"] = resident_before_;
    facts["resident_after"] = resident_bytes();
    for (std::size_t i = 0; i < kLatencies; ++i) {
      if (latencies_[i].count() == 0) continue;
      facts["latencies"][std::string(name_of(static_cast<Latency>(i)))] = latencies_[i].to_json();
    }
    write(facts);
  }

 private:
  // Fewer answers have no hundredth part.
  void check_canaries() {
    const LatencyHistogram& seen = latencies_[static_cast<std::size_t>(Latency::canary)];
    if (seen.count() < 100) return;
    const auto p99 = std::chrono::duration_cast<std::chrono::milliseconds>(seen.percentile(0.99));
    count(Oracle::neighbours, p99 <= kCanaryP99Max, "p99 of the canaries was " + std::to_string(p99.count()) + " ms");
  }
  void count(Oracle line, bool holds, const std::string& what) {
    OracleCount& one = oracle_[std::string(name_of(line))];
    ++one.checked;
    if (holds) return;
    if (one.failed++ == 0) one.first = what;
  }
  // A bound is missed now and then on a busy machine, and counted; this much is no machine's fault.
  static constexpr std::chrono::seconds kMuchTooLong{10};
  std::string late(const LatencyBound& bound, std::chrono::nanoseconds time) {
    std::string text = std::string(bound.name) + " took " +
                       std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(time).count()) + " ms";
    if (time > kMuchTooLong && much_too_late_.empty()) much_too_late_ = text;
    return text;
  }
  void write(const nlohmann::json& line) {
    if (file_.is_open()) file_ << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) << std::endl;
  }

  mutable std::mutex mutex_;
  std::ofstream file_;
  OracleCounts oracle_;
  std::vector<std::string> signature_;
  std::string much_too_late_;
  std::set<std::string> ids_;
  std::array<LatencyHistogram, kLatencies> latencies_;
  std::uint64_t missed_canaries_ = 0;
  std::uint64_t resident_before_ = 0;
};

}  // namespace petri
