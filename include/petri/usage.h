// What a sandbox consumes, summed over its whole tree of processes and its current runs.
#pragma once

#include <chrono>
#include <cstdint>

namespace petri {

struct Usage {
  std::uint64_t memory_bytes = 0;
  std::uint64_t processes = 0;
  std::uint64_t messages = 0;            // that wait in mailboxes
  std::uint64_t fuel_used = 0;           // never falls
  std::chrono::nanoseconds cpu_time{0};  // never falls
  double cpu_percent = 0;                // of one core, over the last second
  std::chrono::nanoseconds uptime{0};
  bool operator==(const Usage&) const = default;
};

struct UsageSample {
  std::chrono::sys_time<std::chrono::nanoseconds> time;
  Usage usage;
  bool operator==(const UsageSample&) const = default;
};

}  // namespace petri
