// The progress of a batch: which row is next, and when it is over.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>

#include "base/mutex.h"
#include "petri/batch.h"

namespace petri {

// Any thread. A batch is over once every row is done, its time has passed or a stop was asked for; whatever is not done
// by then is cancelled, and comes too late.
class BatchControl {
 public:
  using TimePoint = std::chrono::steady_clock::time_point;

  BatchControl(std::size_t rows, const BatchOptions& options, TimePoint started);

  // The next row; nullopt when there is none, or the batch is over.
  std::optional<std::size_t> take() EXCLUDES(mutex_);
  // True if the row counts; `keep` is called under the lock, and keeps its result. False: it comes too late.
  bool finish(bool is_error, const std::function<void()>& keep) EXCLUDES(mutex_);
  // Returns when the batch is over. Rows under way are asked to stop then.
  void wait() EXCLUDES(mutex_);
  // Asked to stop when the batch is over.
  std::stop_token stop() const { return stop_.get_token(); }

 private:
  void report() EXCLUDES(mutex_);

  const std::size_t rows_;
  const std::optional<TimePoint> deadline_;
  const std::stop_token asked_;
  std::stop_source stop_;
  Mutex mutex_;
  Condition changed_;
  std::size_t next_ GUARDED_BY(mutex_) = 0;
  std::size_t done_ GUARDED_BY(mutex_) = 0;
  std::size_t errors_ GUARDED_BY(mutex_) = 0;
  std::size_t reporters_ GUARDED_BY(mutex_) = 0;  // threads that report progress
  bool over_ GUARDED_BY(mutex_) = false;
  Mutex reporting_;  // taken before the other one
  std::function<void(const BatchProgress&)> on_progress_ GUARDED_BY(reporting_);
  std::size_t reported_ GUARDED_BY(reporting_) = 0;
};

}  // namespace petri
