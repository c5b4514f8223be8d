// The usage of a sandbox, summed over its whole tree of processes and its current runs.
#pragma once

#include <chrono>
#include <cstdint>

namespace petri {

struct Usage {
  std::uint64_t memory_bytes = 0;  // of its guests: memories, tables, answers
  std::uint64_t host_bytes = 0;    // that the host holds for them: messages, timers, children, listings, replies
  std::uint64_t processes = 0;
  std::uint64_t messages = 0;            // that wait in mailboxes
  std::uint64_t descriptors = 0;         // of the host that they have open
  std::uint64_t threads = 0;             // of the host that handle something for them, or wait to
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
