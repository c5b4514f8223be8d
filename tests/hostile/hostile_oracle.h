// The rules that must hold for every case, line by line (V1 to V9 of the list of hostile guests), and the counts of the
// suite.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace petri {

enum class Oracle : std::uint8_t { verdict, time, alive, neighbours, left, lost, reported, leak, same };

struct OracleLine {
  std::string_view name;
  std::string_view what;
};
constexpr std::array<OracleLine, 9> kOracle{{
    {"V1", "every run has one verdict, and none is a fault of the host or of an engine"},
    {"V2", "the verdict comes within the bound of its kind"},
    {"V3", "`info` on another sandbox answers within 250 ms"},
    {"V4",
     "canaries answer rightly and within a second; p99 of a case within 20 ms, of a setting within twice the idle one"},
    {"V5",
     "no sandbox, artifact, byte, thread, descriptor or mapping is left; resident memory within 32 MiB of the "
     "process's first"},
    {"V6", "neighbours and canaries count on where they were"},
    {"V7",
     "each limit met, kill, refusal, denial and quarantine is told by one event and one audit entry with the same "
     "cause"},
    {"V8", "no text tells a path, an address or another sandbox, or has a control character"},
    {"V9", "the tiers come to the same kinds, traps, limits and fuel of runs, unless time ended it"},
}};
inline std::string_view name_of(Oracle line) { return kOracle[static_cast<std::size_t>(line)].name; }

// How often a line was looked at, and did not hold.
struct OracleCount {
  std::uint64_t checked = 0;
  std::uint64_t failed = 0;
  std::string first;  // what the first of these was
};
using OracleCounts = std::map<std::string, OracleCount, std::less<>>;  // by the name of the line

inline nlohmann::json to_json(const OracleCounts& counts) {
  nlohmann::json json = nlohmann::json::object();
  for (const auto& [line, count] : counts)
    json[line] = {{"checked", count.checked}, {"failed", count.failed}, {"first", count.first}};
  return json;
}

inline void add(OracleCounts& counts, const nlohmann::json& json) {
  for (const auto& [line, one] : json.items()) {
    OracleCount& count = counts[line];
    count.checked += one.at("checked").get<std::uint64_t>();
    count.failed += one.at("failed").get<std::uint64_t>();
    if (count.first.empty()) count.first = one.at("first").get<std::string>();
  }
}

// A canary's p99 in one case, and how much more memory may be resident at the end than before the first case.
constexpr std::chrono::milliseconds kCanaryP99Max{20};
constexpr std::int64_t kResidentGrowthMax = std::int64_t{32} << 20;

// How long it took until ...
enum class Latency {
  trap,         // ... a guest that traps at once was known to have trapped
  deadline,     // ... a guest was ended after its time was over
  cancel,       // ... a cancelled guest had ended
  destroy,      // ... a sandbox was destroyed after its shutdown_max, whatever its guests did
  refusal,      // ... code was refused
  canary,       // ... a canary answered beside hostile guests
  idle_canary,  // ... a canary answered when nothing else happened
  info,         // ... info on a canary was there
};
constexpr std::size_t kLatencies = 8;

// Alone, and with a hundred at once. The lines that are bounded in a crowd, too, are those that its size must not
// matter to.
struct LatencyBound {
  std::string_view name;
  Oracle line = Oracle::time;
  std::chrono::nanoseconds alone;
  std::chrono::nanoseconds crowd;
};
constexpr std::array<LatencyBound, kLatencies> kBounds{{
    {"trap", Oracle::time, std::chrono::milliseconds(5), std::chrono::milliseconds(5)},
    {"deadline", Oracle::time, std::chrono::milliseconds(50), std::chrono::milliseconds(50)},
    {"cancel", Oracle::time, std::chrono::milliseconds(100), std::chrono::seconds(1)},
    {"destroy", Oracle::time, std::chrono::milliseconds(100), std::chrono::seconds(1)},
    {"refusal", Oracle::time, std::chrono::milliseconds(50), std::chrono::milliseconds(50)},
    {"canary", Oracle::neighbours, std::chrono::seconds(1), std::chrono::seconds(1)},
    {"idle_canary", Oracle::neighbours, std::chrono::seconds(1), std::chrono::seconds(1)},
    {"info", Oracle::alive, std::chrono::milliseconds(250), std::chrono::milliseconds(250)},
}};
inline std::string_view name_of(Latency latency) { return kBounds[static_cast<std::size_t>(latency)].name; }
inline std::chrono::nanoseconds bound_of(const LatencyBound& bound, bool crowd) {
  return crowd ? bound.crowd : bound.alone;
}
inline const LatencyBound& bound_named(std::string_view name) {
  for (const LatencyBound& bound : kBounds) {
    if (bound.name == name) return bound;
  }
  return kBounds.front();
}

}  // namespace petri
