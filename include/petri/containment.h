// Answers to repeated failures: the breaker of a sandbox, the quarantine of an artifact.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace petri {

// The times of all that count are kept, and looked through when one more comes.
constexpr std::uint32_t kLimitsKeptMax = 10'000;

// An artifact that met ending limits `limits_max` times within `window`, in processes or runs, is refused everywhere by
// its hash for `period`. Its live instances continue. Evaluations neither count nor ask.
struct QuarantineOptions {
  std::uint32_t limits_max = 5;  // 0: no quarantine; at most kLimitsKeptMax
  std::chrono::nanoseconds window = std::chrono::seconds(60);
  std::chrono::nanoseconds period = std::chrono::minutes(10);
};

// A sandbox whose processes were ended by limits `limits_max` times within `window` is left alone for `pause`: calls
// and messages from outside answer `busy`. Then one is admitted: if it ends `ok`, all are again. Runs neither count nor
// ask.
struct BreakerOptions {
  std::uint32_t limits_max = 5;  // 0: no breaker; at most kLimitsKeptMax
  std::chrono::nanoseconds window = std::chrono::seconds(10);
  std::chrono::nanoseconds pause = std::chrono::seconds(1);
  bool operator==(const BreakerOptions&) const = default;
};

enum class BreakerState : std::uint8_t { closed, open, half_open };
std::string_view name_of(BreakerState state);

}  // namespace petri
