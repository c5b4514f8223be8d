#include "process/turns/guest_turns.h"

#include <utility>

#include "base/clock.h"
#include "host/guest/kill_flag.h"
#include "process/process_services.h"
#include "process/turns/host_work.h"
#include "process/turns/process_time.h"

namespace petri {
namespace {

// Time this thread has had of a processor since it was last asked; the kernel may have had others run meanwhile.
std::uint64_t processor_ns_since_last_asked() {
  thread_local std::uint64_t last = 0;
  const std::uint64_t now = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
  return now - std::exchange(last, now);
}

}  // namespace

GuestTurns::GuestTurns(ProcessServices& services)
    : services_(services), account_(services.account()), share_(services.cpu_share()) {}

// Time the guest had a processor. Asking the kernel takes as long as a short call, so of those the time that passed is
// taken instead.
std::uint64_t GuestTurns::take_processor_ns(std::uint64_t now_ns) {
  constexpr std::uint64_t kShortNs = 500'000;
  const std::uint64_t elapsed = now_ns - std::min(now_ns, started_ns_);
  const std::uint64_t used = elapsed - std::min(elapsed, away_ns_);
  const std::uint64_t rest = used - std::min(used, charged_ns_);
  charged_ns_ += rest;
  return rest < kShortNs ? rest : std::min(rest, processor_ns_since_last_asked());
}

void GuestTurns::charge(std::uint64_t fuel, std::uint64_t now_ns) {
  const std::uint64_t ran = take_processor_ns(now_ns);
  const std::uint64_t burned = fuel - std::min(fuel, charged_fuel_);
  charged_fuel_ += burned;
  account_.add_work(burned, ran);
  share_.charge(ran, now_ns);
  ran_held_ns_ += ran;
  HostWork::add_paid(ran);
}

void GuestTurns::wait_for_share(std::uint64_t now_ns, const Bounds& bounds) {
  ran_held_ns_ = 0;
  if (share_.free_at() > now_ns) {
    hold(bounds);
  } else {
    held_since_ns_ = 0;
  }
}

// Shares are held by the runtime's clock, which need not be the engine's.
void GuestTurns::hold(const Bounds& bounds) {
  const std::uint64_t from = to_ns(services_.clock().now());
  if (share_.free_at() <= from) return;
  {
    const Workers::Pause pause(services_.workers(), bounds.seat, &bounds.kill);
    while (bounds.kill.load() == 0) {
      const std::uint64_t until = std::min(share_.free_at(), bounds.deadline_ns);
      if (until <= to_ns(services_.clock().now())) break;
      wait_for_kill(&bounds.kill, until);
    }
  }
  add_away(to_ns(services_.clock().now()) - from);
}

void GuestTurns::wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill, Workers::Seat& seat) {
  const std::uint64_t from = to_ns(services_.clock().now());
  {
    const Workers::Pause pause(services_.workers(), seat, kill);
    wait_for_kill(kill, until_ns);
  }
  add_away(to_ns(services_.clock().now()) - from);
}

// A sandbox that keeps wanting more than its share has cpu_grace for it, if that is set; the present setting counts,
// not the one of when the work started. A share may have been used up by a callee or a neighbour: one that has hardly
// run itself meanwhile is held, and not ended.
bool GuestTurns::held_too_long(std::uint64_t now_ns) {
  if (share_.free_at() <= now_ns) {
    held_since_ns_ = 0;
    return false;
  }
  if (held_since_ns_ == 0) {
    held_since_ns_ = now_ns;
    ran_held_ns_ = 0;
  }
  const auto grace = static_cast<std::uint64_t>(account_.limits()->cpu_grace.count());
  return grace > 0 && now_ns - held_since_ns_ > grace && ran_held_ns_ >= half_a_turn_ns();
}

std::uint64_t GuestTurns::half_a_turn_ns() const {
  return static_cast<std::uint64_t>(services_.workers().turn().count()) / 2;
}

// Time that the kernel gave to others was not its own: on a busy machine one that is nearly done would be put aside
// behind those that burn.
bool GuestTurns::has_had_its_turn() {
  const std::uint64_t now = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
  const std::uint64_t from = turn_from_ns_ == 0 ? now : turn_from_ns_;
  const bool had = now - from >= half_a_turn_ns();
  if (had || turn_from_ns_ == 0) turn_from_ns_ = now;
  return had;
}

std::uint64_t GuestTurns::next(HostContext& context, std::uint64_t fuel, const Bounds& bounds) {
  const std::uint64_t now_ns = to_ns(services_.clock().now());
  charge(fuel, now_ns);
  if (held_too_long(now_ns)) {
    context.ended_by = "cpu_percent_max";
    return 0;
  }
  hold(bounds);
  const std::uint64_t from = to_ns(services_.clock().now());
  if (bounds.seat.holds_permit && !has_had_its_turn())
    return kernel_ns(CLOCK_MONOTONIC) + static_cast<std::uint64_t>(services_.workers().turn().count());
  const std::uint64_t next =
      services_.workers().take_turn(from, bounds.seat, {.ended = &bounds.kill, .deadline_ns = bounds.deadline_ns});
  add_away(to_ns(services_.clock().now()) - from);
  return next;
}

}  // namespace petri
