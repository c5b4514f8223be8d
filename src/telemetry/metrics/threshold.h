// When use of a limit is worth a warning: once on reaching 80 %, and again only after it has been below.
#pragma once

#include <atomic>
#include <cstdint>

namespace petri {

// True if this much is 80 % of the limit or more. A limit of 0 allows nothing and warns of nothing.
constexpr bool is_near_limit(std::uint64_t used, std::uint64_t limit) {
  return limit != 0 && used >= limit - limit / 5;
}

// One per limit that is watched. Safe to use from any thread.
class WarningLatch {
 public:
  // True when a warning is due now. Called whenever use or limit changes.
  bool should_warn(std::uint64_t used, std::uint64_t limit);

 private:
  std::atomic<bool> warned_{false};  // and use has not been seen below since
};

}  // namespace petri
