#include "process/mailbox/reply.h"

#include <fmt/format.h>

#include "process/turns/host_work.h"

namespace petri {

std::unexpected<Error> ended_before_call(std::string_view process) {
  return fail(ErrorCode::cancelled, fmt::format("the process {} ended before it came to this call", process));
}

bool Reply::give(Result<Outcome> result) {
  Completion completion;
  {
    MutexLock lock(mutex_);
    if (settled_) return false;
    settled_ = true;
    completion = std::move(completion_);
    if (!completion) {
      result_ = std::move(result);
      given_.notify_all();
      return true;
    }
  }
  const HostWork work(nullptr);
  completion(std::move(result));
  return true;
}

bool Reply::abandon() {
  MutexLock lock(mutex_);
  if (settled_) return false;
  settled_ = true;
  return true;
}

bool Reply::settled() const {
  MutexLock lock(mutex_);
  return settled_;
}

std::optional<Result<Outcome>> Reply::wait_until(TimePoint deadline) {
  MutexLock lock(mutex_);
  while (!result_) {
    if (!given_.wait_until(mutex_, deadline)) break;
  }
  return std::exchange(result_, std::nullopt);
}

Result<Outcome> Reply::wait() {
  MutexLock lock(mutex_);
  while (!result_) given_.wait(mutex_);
  return *std::exchange(result_, std::nullopt);
}

}  // namespace petri
