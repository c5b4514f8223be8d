#include "host/wait.h"

#include <poll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <chrono>
#include <limits>

#include "host/owned_descriptor.h"

namespace petri {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;
constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

std::uint64_t now_ns() {
  return static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

std::uint64_t end_of(std::uint64_t milliseconds) {
  const std::uint64_t now = now_ns();
  return milliseconds > (kNever - now) / kMillisecond ? kNever : now + milliseconds * kMillisecond;
}

// Rounded up: a wait is never shorter than asked for.
int poll_milliseconds(std::uint64_t left_ns) {
  constexpr std::uint64_t kPollMax = 60'000;
  return static_cast<int>(std::min((left_ns + kMillisecond - 1) / kMillisecond, kPollMax));
}

}  // namespace

WaitEnd wait_for(std::uint64_t milliseconds, std::uint64_t deadline_ns, const std::stop_token& stop) {
  const OwnedDescriptor wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  const std::stop_callback on_stop(stop, [&wake] { ::eventfd_write(wake.get(), 1); });
  const std::uint64_t end_ns = end_of(milliseconds);
  for (;;) {
    if (stop.stop_requested()) return WaitEnd::cancelled;
    const std::uint64_t now = now_ns();
    if (now >= end_ns) return WaitEnd::elapsed;
    if (now >= deadline_ns) return WaitEnd::deadline;
    pollfd waiting{.fd = wake.get(), .events = POLLIN, .revents = 0};
    ::poll(&waiting, 1, poll_milliseconds(std::min(end_ns, deadline_ns) - now));
  }
}

}  // namespace petri
