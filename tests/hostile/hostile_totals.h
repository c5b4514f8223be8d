// The totals of the facts of many runs of the suite.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "hostile/hostile_oracle.h"
#include "hostile/latency_histogram.h"
#include "petri/tier.h"

namespace petri {

// Where the guests are while they do their worst.
struct HostileSetting {
  std::string name;
  std::size_t neighbours = 0;
  std::size_t copies = 1;
};
const std::vector<HostileSetting>& hostile_settings();

struct CaseTotals {
  std::map<std::string, std::uint64_t> runs;  // by setting
  std::uint64_t failures = 0;
  std::uint64_t not_held = 0;  // how often a line of the oracle did not
};

// The totals of one process of the suite, which ran all of its cases, seed after seed.
struct ProcessTotals {
  std::string setting;
  Tier tier = Tier::interpreted;
  std::uint64_t runs = 0;
  std::uint64_t resident_start = 0;  // before the first case
  std::uint64_t resident_end = 0;
  std::int64_t growth_max = 0;  // in one case
};

// One case with one seed in one setting, as each tier came to its end.
struct ComparedTiers {
  std::string what;
  std::string setting;
  std::map<Tier, std::vector<std::string>> signatures;
};

struct HostileTotals {
  std::map<std::string, CaseTotals> cases;                                   // by id
  std::map<std::string, std::map<std::string, LatencyHistogram>> latencies;  // by setting, by name
  std::map<std::string, std::uint64_t> missed_canaries;                      // by setting
  std::map<std::string, OracleCounts> oracle;                                // by setting; V9 is not in it
  std::map<std::string, ComparedTiers> compared;                             // by test, setting and seed
  std::vector<ProcessTotals> processes;
  std::vector<std::string> failures;  // what was not as it should be, in words
  std::vector<std::string> deaths;    // of the process: in which case
  std::uint64_t runs = 0;
  std::uint64_t seeds = 0;
  double seconds = 0;

  std::uint64_t missed() const;
  // With what is seen only afterwards: canaries beside idle ones (V4), memory that stayed (V5), the tiers beside one
  // another (V9).
  std::map<std::string, OracleCounts> whole_oracle() const;
  // The counts of each line, and of all of them, over all settings.
  OracleCounts oracle_lines() const;
  OracleCount oracle_sum() const;
};

// Adds the facts that one process of the suite wrote, a line of JSON each. Returns the seed of a case that started and
// did not end.
std::optional<std::uint64_t> add_facts(HostileTotals& totals, const HostileSetting& setting, Tier tier,
                                       const std::vector<nlohmann::json>& facts);

}  // namespace petri
