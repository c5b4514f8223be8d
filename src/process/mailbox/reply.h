// The one result of a call that somebody waits for, or has left a completion for.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "base/mutex.h"
#include "petri/outcome.h"
#include "petri/result.h"

namespace petri {

// A result is given once. Any thread may use it; the lock is held for moments, and a completion is called without it.
class Reply {
 public:
  using Completion = std::function<void(Result<Outcome>)>;  // must not throw
  using TimePoint = std::chrono::steady_clock::time_point;

  Reply() = default;
  explicit Reply(Completion completion) : completion_(std::move(completion)) {}

  // Returns false if there is a result already, or nobody waits any more. A completion is called on this thread.
  bool give(Result<Outcome> result) EXCLUDES(mutex_);
  // Nobody waits any more. False: the result has been given.
  bool abandon() EXCLUDES(mutex_);
  bool settled() const EXCLUDES(mutex_);

  // Nothing when the time has passed without a result.
  std::optional<Result<Outcome>> wait_until(TimePoint deadline) EXCLUDES(mutex_);
  Result<Outcome> wait() EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  Condition given_;
  bool settled_ GUARDED_BY(mutex_) = false;
  std::optional<Result<Outcome>> result_ GUARDED_BY(mutex_);
  Completion completion_ GUARDED_BY(mutex_);
};
using ReplyPtr = std::shared_ptr<Reply>;

// The reply to a call that the process of this name ended without handling: `cancelled`.
std::unexpected<Error> ended_before_call(std::string_view process);

}  // namespace petri
