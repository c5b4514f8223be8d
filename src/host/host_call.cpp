#include "host/host_call.h"

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "host/guest/kill_flag.h"
#include "host/guest/pace.h"
#include "host/process_port.h"
#include "host/wasi/state.h"

namespace petri {
namespace {

constexpr std::uint64_t kMillisecond = 1'000'000;

std::uint64_t after_ms(std::uint64_t now_ns, std::uint64_t milliseconds) {
  return milliseconds > (Budget::kNever - now_ns) / kMillisecond ? Budget::kNever
                                                                 : now_ns + milliseconds * kMillisecond;
}

bool is_killed(const HostContext& context) { return context.kill != nullptr && context.kill->load() != 0; }

}  // namespace

std::optional<std::string> HostCall::copy(std::string_view bytes) {
  std::string kept;
  kept.reserve(bytes.size());
  Pace pace(*this);
  while (!bytes.empty()) {
    const std::string_view piece = bytes.substr(0, Pace::kBytesMax);
    kept.append(piece);
    bytes.remove_prefix(piece.size());
    if (!pace.step(piece.size())) return std::nullopt;
  }
  return kept;
}

GuestResult<std::uint32_t> HostCall::allocate(std::uint32_t bytes) {
  if (std::exchange(context.allocating, true)) return std::unexpected(GuestError::not_now);
  const auto allocated = caller_.allocate(bytes);
  context.allocating = false;
  if (!allocated) {
    context.fault = "the guest's allocator could not be called";
    stop(EndKind::refused);
    return std::unexpected(GuestError::cancelled);
  }
  if (allocated->after == After::stop) after_ = After::stop;
  if (after_ == After::stop) return std::unexpected(GuestError::cancelled);
  if (allocated->address == 0) return std::unexpected(GuestError::limit_exceeded);
  if (!exists(allocated->address, bytes)) return std::unexpected(GuestError::out_of_bounds);
  return allocated->address;
}

bool HostCall::look() {
  if (after_ == After::stop) return false;
  const std::uint64_t now = kernel_ns(CLOCK_MONOTONIC);
  if (is_killed(context)) {
    stop(EndKind::cancelled);
  } else if (now >= context.deadline_ns) {
    stop(EndKind::deadline);
  } else if (now >= context.turn_ns && context.turns != nullptr) {
    context.turn_ns = context.turns->next_turn(context, context.fuel_before + fuel_used());
    if (context.turn_ns == 0) stop(EndKind::cancelled);
  }
  return after_ == After::resume;
}

void HostCall::pause_until(std::uint64_t until_ns) {
  const std::uint64_t until = std::min(until_ns, context.deadline_ns);
  if (context.turns != nullptr) return context.turns->wait_until(until, context.kill);
  wait_for_kill(context.kill, until);
}

bool HostCall::wait(std::uint64_t milliseconds) {
  if (milliseconds == 0) return after_ == After::resume;
  if (context.settings().deterministic) {
    context.skip_ms(milliseconds);
    return true;
  }
  context.waited = context.saw_outside = true;
  pause_until(after_ms(kernel_ns(CLOCK_MONOTONIC), milliseconds));
  return look();
}

// In steps, first short ones: it is mostly done soon.
bool HostCall::wait_until(const std::atomic<bool>& done) {
  constexpr std::uint64_t kLongestStep = 2 * kMillisecond;
  for (std::uint64_t step = kMillisecond / 16; !done.load(); step = std::min(2 * step, kLongestStep)) {
    if (!look()) return false;
    pause_until(kernel_ns(CLOCK_MONOTONIC) + step);
  }
  return look();
}

bool HostCall::give_way(std::uint64_t nanoseconds) {
  if (!look()) return false;
  pause_until(kernel_ns(CLOCK_MONOTONIC) + nanoseconds);
  return look();
}

Folder& FileCall::folder() {
  context.saw_outside = true;
  return context.wasi().folder(*this);
}

int FileCall::host_descriptor(const WasiDescriptor& descriptor) {
  context.saw_outside = true;
  return context.wasi().host_descriptor(*this, descriptor);
}

}  // namespace petri
