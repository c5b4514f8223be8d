#include "evaluation/progress_board.h"

namespace petri {
namespace {

void count(std::atomic<std::size_t>& counter) {
  // Its worker alone writes it; others only read.
  counter.store(counter.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

}  // namespace

ProgressBoard::ProgressBoard(std::size_t total, unsigned workers, const EvaluationOptions& options)
    : total_(total), options_(options), counts_(workers + 1) {}

bool ProgressBoard::add(unsigned worker, const Record& record, Clock::TimePoint now) {
  count(counts_[worker].of(record));
  if (options_.on_progress && now >= next_report_.load(std::memory_order_relaxed)) {
    next_report_.store(now + kInterval, std::memory_order_relaxed);
    const MutexLock lock(mutex_);
    // Read under the lock, so that what is reported never falls.
    report(sum());
  }
  return options_.enough && ask(record);
}

void ProgressBoard::add_repeated(const Record& record) {
  counts_.back().of(record).fetch_add(1, std::memory_order_relaxed);
}

Progress ProgressBoard::sum() const {
  Progress progress{.total = total_};
  for (const Counts& counts : counts_) {
    for (std::size_t kind = 0; kind < progress.outcomes.size(); ++kind) {
      progress.outcomes[kind] += counts.outcomes[kind].load(std::memory_order_relaxed);
    }
    progress.errors += counts.errors.load(std::memory_order_relaxed);
  }
  progress.done = progress.errors;
  for (const std::size_t outcomes : progress.outcomes) progress.done += outcomes;
  return progress;
}

void ProgressBoard::report(const Progress& progress) {
  if (progress_threw_) return;
  try {
    options_.on_progress(progress);
  } catch (...) {
    progress_threw_ = true;
  }
}

bool ProgressBoard::ask(const Record& record) {
  const MutexLock lock(mutex_);
  if (enough_threw_) return false;
  try {
    return options_.enough(record);
  } catch (...) {
    enough_threw_ = true;
    return false;
  }
}

void ProgressBoard::finish(const std::vector<Record>& records) {
  if (!options_.on_progress) return;
  Progress progress{.done = records.size(), .total = total_};
  for (const Record& record : records) {
    ++(record.outcome ? progress.outcomes[static_cast<std::size_t>(*record.outcome)] : progress.errors);
  }
  const MutexLock lock(mutex_);
  report(progress);
}

}  // namespace petri
