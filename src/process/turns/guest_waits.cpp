#include "process/turns/guest_waits.h"

#include <optional>
#include <utility>

#include "process/process.h"

namespace petri {
namespace {

struct EndAwaited {
  void operator()(const ReplyPtr& answer) const { answer->give(fail(ErrorCode::cancelled, "the caller was ended")); }
  void operator()(const GuestWaits::Callee& callee) const { callee.process->cancel(callee.call); }
  void operator()(std::stop_source& work) const { work.request_stop(); }
};

}  // namespace

bool GuestWaits::set(const Awaited* awaited) {
  MutexLock lock(mutex_);
  awaited_ = awaited;
  return !flags_.running().is_raised();
}

// The wait is copied, and ended without the lock: a callee has locks of its own, and the thread that waits may be gone
// by then.
void GuestWaits::end() {
  std::optional<Awaited> awaited;
  {
    MutexLock lock(mutex_);
    if (awaited_ != nullptr && flags_.running().is_raised()) awaited = *awaited_;
  }
  if (awaited) std::visit(EndAwaited(), *awaited);
}

Result<Outcome> GuestWaits::wait_for(const ReplyPtr& answer, Clock::TimePoint deadline, Workers& workers,
                                     Workers::Seat& seat) {
  const Wait wait(*this, answer);
  if (!wait) return fail(ErrorCode::cancelled, "the caller was ended");
  const Workers::Pause pause(workers, seat, &flags_.running().flag());
  auto result = answer->wait_until(deadline);
  if (!result && !answer->abandon()) result = answer->wait();
  if (result) return std::move(*result);
  return fail(ErrorCode::timeout, "the callee did not answer in time");
}

}  // namespace petri
