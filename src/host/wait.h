// Lets a guest wait for real time to pass.
#pragma once

#include <cstdint>
#include <stop_token>

namespace petri {

enum class WaitEnd : std::uint8_t { elapsed, deadline, cancelled };

// Blocks the thread for this long, or until the deadline (of the monotonic clock) or a stop comes first.
WaitEnd wait_for(std::uint64_t milliseconds, std::uint64_t deadline_ns, const std::stop_token& stop);

}  // namespace petri
