#include "process/history/retrace_budget.h"

#include <algorithm>

namespace petri {

bool RetraceBudget::may_start(Clock::TimePoint now) {
  MutexLock lock(mutex_);
  const Clock::Duration earned = (now - at_) / kShare;
  at_ = now;
  spent_ -= std::min(spent_, std::max(earned, Clock::Duration(0)));
  return spent_ < kBurst;
}

void RetraceBudget::spend(Clock::Duration time) {
  MutexLock lock(mutex_);
  spent_ += time;
}

bool RetraceBudget::try_keep(std::uint64_t image_bytes) {
  if (image_bytes > kOneImageBytesMax) return false;
  if (image_bytes_.fetch_add(image_bytes, std::memory_order_relaxed) + image_bytes <= kImageBytesMax) return true;
  let_go(image_bytes);
  return false;
}

}  // namespace petri
