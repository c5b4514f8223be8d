// The progress of an evaluation: each worker counts its own rows, and the embedder is notified now and then.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/clock.h"
#include "base/mutex.h"
#include "petri/evaluate.h"

namespace petri {

class ProgressBoard {
 public:
  // Often enough for a bar on a screen.
  static constexpr auto kInterval = std::chrono::milliseconds(20);

  ProgressBoard(std::size_t total, unsigned workers, const EvaluationOptions& options);

  // Counts one more record of a worker. True when the embedder's `enough` says so and the evaluation is to end. The
  // embedder's callbacks run here, on the worker's thread, one at a time; one that throws is not called again.
  bool add(unsigned worker, const Record& record, Clock::TimePoint now) EXCLUDES(mutex_);
  // A record was copied into a row that repeats another. Any thread.
  void add_repeated(const Record& record);
  // Reports the final state, once no worker is left.
  void finish(const std::vector<Record>& records) EXCLUDES(mutex_);

 private:
  // On a cache line of its own: workers count without meeting.
  struct alignas(64) Counts {
    std::array<std::atomic<std::size_t>, std::tuple_size_v<decltype(Progress::outcomes)>> outcomes{};
    std::atomic<std::size_t> errors{0};
    std::atomic<std::size_t>& of(const Record& record) {
      return record.outcome ? outcomes[static_cast<std::size_t>(*record.outcome)] : errors;
    }
  };
  Progress sum() const;
  void report(const Progress& progress) REQUIRES(mutex_);
  bool ask(const Record& record) EXCLUDES(mutex_);

  const std::size_t total_;
  const EvaluationOptions& options_;
  std::vector<Counts> counts_;  // the workers', and one for repeated rows
  std::atomic<Clock::TimePoint> next_report_{Clock::TimePoint()};
  Mutex mutex_;
  bool progress_threw_ GUARDED_BY(mutex_) = false;
  bool enough_threw_ GUARDED_BY(mutex_) = false;
};

}  // namespace petri
