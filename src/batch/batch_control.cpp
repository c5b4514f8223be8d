#include "batch/batch_control.h"

namespace petri {
namespace {

std::optional<BatchControl::TimePoint> deadline_of(const BatchOptions& options, BatchControl::TimePoint started) {
  if (!options.time_max || *options.time_max >= BatchControl::TimePoint::max() - started) return std::nullopt;
  return started + std::chrono::duration_cast<BatchControl::TimePoint::duration>(*options.time_max);
}

}  // namespace

BatchControl::BatchControl(std::size_t rows, const BatchOptions& options, TimePoint started)
    : rows_(rows), deadline_(deadline_of(options, started)), asked_(options.stop), on_progress_(options.on_progress) {}

std::optional<std::size_t> BatchControl::take() {
  MutexLock lock(mutex_);
  if (over_ || next_ == rows_) return std::nullopt;
  return next_++;
}

bool BatchControl::finish(bool is_error, const std::function<void()>& keep) {
  {
    MutexLock lock(mutex_);
    if (over_) return false;
    keep();
    ++done_;
    ++reporters_;
    if (is_error) ++errors_;
  }
  report();
  MutexLock lock(mutex_);
  if (--reporters_ == 0 && (over_ || done_ == rows_)) changed_.notify_all();
  return true;
}

void BatchControl::report() {
  MutexLock reporting(reporting_);
  BatchProgress progress{.total = rows_};
  {
    MutexLock lock(mutex_);
    progress.done = done_;
    progress.errors = errors_;
  }
  if (on_progress_ == nullptr || progress.done == reported_) return;
  reported_ = progress.done;
  try {
    on_progress_(progress);
  } catch (...) {
    on_progress_ = nullptr;
  }
}

void BatchControl::wait() {
  const std::stop_callback wake(asked_, [this] {
    MutexLock lock(mutex_);
    changed_.notify_all();
  });
  {
    MutexLock lock(mutex_);
    while (done_ < rows_ && !asked_.stop_requested()) {
      if (!deadline_) {
        changed_.wait(mutex_);
      } else if (!changed_.wait_until(mutex_, *deadline_)) {
        break;
      }
    }
    over_ = true;
    // The caller's own callback does not outlive the call.
    while (reporters_ > 0) changed_.wait(mutex_);
  }
  stop_.request_stop();
}

}  // namespace petri
