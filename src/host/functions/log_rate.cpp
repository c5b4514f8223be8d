#include "host/functions/log_rate.h"

#include <algorithm>

namespace petri {

bool LogRate::try_spend(std::uint64_t bytes, std::uint64_t now_ms) {
  refill(now_ms);
  if (bytes > millibytes_ / 1'000) return false;
  millibytes_ -= bytes * 1'000;
  return true;
}

// A second fills it up: longer pauses count as one, so that nothing overflows.
void LogRate::refill(std::uint64_t now_ms) {
  if (now_ms <= last_ms_) return;
  const std::uint64_t elapsed_ms = std::min<std::uint64_t>(now_ms - last_ms_, 1'000);
  last_ms_ = now_ms;
  millibytes_ = std::min(millibytes_ + elapsed_ms * bytes_per_second_max_, bytes_per_second_max_ * 1'000);
}

}  // namespace petri
