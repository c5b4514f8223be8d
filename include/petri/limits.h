// The limits a guest runs under. A limit is here only if something enforces it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

struct Limits {
  std::uint64_t memory_bytes_max = 128ULL << 20;  // linear memory, tables, output
  std::uint64_t fuel_max = 1'000'000'000;
  std::chrono::nanoseconds execution_time_max = std::chrono::seconds(300);
  std::uint64_t module_bytes_max = 5ULL << 20;
  std::uint64_t file_bytes_max = 10ULL << 20;
  std::uint64_t files_max = 1'000;
  std::uint64_t disk_bytes_max = 100ULL << 20;
  std::uint64_t output_bytes_max = 1ULL << 20;
  std::uint64_t log_bytes_per_second_max = 64ULL << 10;
  std::uint64_t call_depth_max = 1'024;
  bool operator==(const Limits&) const = default;
};

// One row of the table of limits: what documents, validation and commands know of a limit.
struct LimitRule {
  std::string_view name;
  std::string_view unit;  // "bytes", "units", "ns", "bytes/s", "frames", "files"
  std::uint64_t min;
  std::uint64_t max;
  std::string_view when_met;
  std::uint64_t (*get)(const Limits&);
  void (*set)(Limits&, std::uint64_t);
};
const std::vector<LimitRule>& limit_rules();

// The rule of this name, or nullptr.
const LimitRule* limit_named(std::string_view name);
// A value as people write it in the limit's unit: "16MiB", "50ms", "10000". Out of range is validation_failed.
Result<std::uint64_t> parse_limit(const LimitRule& rule, std::string_view text);
std::string format_limit(const LimitRule& rule, std::uint64_t value);
// An unknown name or a value out of range is validation_failed, and `limits` stay as they were.
Result<void> set_limit(Limits& limits, std::string_view name, std::uint64_t value);

// Checks every value; all that are out of range are in one validation_failed.
Result<void> validate(const Limits& limits);

}  // namespace petri
