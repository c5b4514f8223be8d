#include "process/turns/host_work.h"

#include <algorithm>

#include "base/clock.h"
#include "process/turns/process_time.h"

namespace petri {
namespace {

constinit thread_local std::uint64_t paid_on_this_thread = 0;

}  // namespace

void HostWork::add_paid(std::uint64_t nanoseconds) { paid_on_this_thread += nanoseconds; }

HostWork::HostWork(ProcessServices* services)
    : services_(services),
      started_(services == nullptr ? Clock::TimePoint() : services->clock().now()),
      started_ns_(kernel_ns(CLOCK_THREAD_CPUTIME_ID)),
      paid_ns_(paid_on_this_thread) {}

HostWork::~HostWork() {
  const std::uint64_t used = kernel_ns(CLOCK_THREAD_CPUTIME_ID) - started_ns_;
  const std::uint64_t rest = used - std::min(used, paid_on_this_thread - paid_ns_);
  if (services_ != nullptr) charge(rest);
  add_paid(rest);
}

void HostWork::charge(std::uint64_t used_ns) {
  const Clock::TimePoint now = services_->clock().now();
  const std::uint64_t charged = std::min(used_ns, to_ns(now) - to_ns(started_));
  services_->account().add_work(0, charged);
  services_->cpu_share().charge(charged, to_ns(now));
}

}  // namespace petri
