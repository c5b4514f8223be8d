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

// Given once. Any thread.
class Reply {
 public:
  using Completion = std::function<void(Result<Outcome>)>;  // must not throw
  using TimePoint = std::chrono::steady_clock::time_point;

  Reply() = default;
  explicit Reply(Completion completion) : completion_(std::move(completion)) {}

  // False: there is one already, or nobody waits any more. A completion is called here.
  bool give(Result<Outcome> result) EXCLUDES(mutex_);
  // False: it has been given.
  bool abandon() EXCLUDES(mutex_);
  bool settled() const EXCLUDES(mutex_);

  // Nothing when the time has passed without one.
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

// `cancelled`: the reply to a call that the process of this name ended without handling.
std::unexpected<Error> ended_before_call(std::string_view process);

}  // namespace petri
