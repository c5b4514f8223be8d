// Carries out the rows of a batch on threads of a pool.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/threads/thread_pool.h"
#include "batch/batch_control.h"
#include "petri/result.h"

namespace petri {

// The error of rows that were not done when the batch was over.
inline Error batch_over() { return {ErrorCode::cancelled, "the batch was over before this row was done", {}}; }

// All of it outlives the batch's last row, which may end after run_batch() has returned.
template <typename T>
struct BatchWork {
  // One row; the token is asked to stop when the batch is over.
  std::function<Result<T>(std::size_t row, const std::stop_token& stop)> row;
  // Undoes a row that came too late; may be empty.
  std::function<void(std::size_t row, Result<T>& result)> undo;
  std::shared_ptr<void> keeps;  // what the rows use
};

template <typename T>
class BatchRun {
 public:
  BatchRun(std::size_t rows, const BatchOptions& options, BatchControl::TimePoint started, BatchWork<T> work)
      : control_(rows, options, started), work_(std::move(work)), results_(rows) {}

  BatchControl& control() { return control_; }
  // On a thread of the pool: row after row, until there is none.
  void work() {
    while (const auto row = control_.take()) {
      auto result = do_row(*row);
      const bool is_error = !result;
      const bool kept = control_.finish(is_error, [&] { results_[*row].emplace(std::move(result)); });
      if (!kept && work_.undo != nullptr) work_.undo(*row, result);
    }
  }
  // Once the batch is over: nobody keeps a result any more.
  std::vector<Result<T>> take_results() {
    std::vector<Result<T>> all;
    all.reserve(results_.size());
    for (auto& result : results_) all.push_back(result ? std::move(*result) : Result<T>(fail(batch_over())));
    return all;
  }

 private:
  Result<T> do_row(std::size_t row) {
    try {
      return work_.row(row, control_.stop());
    } catch (...) {
      return fail(ErrorCode::host_fault, "the row threw an exception");
    }
  }

  BatchControl control_;
  const BatchWork<T> work_;
  std::vector<std::optional<Result<T>>> results_;  // written under the lock of the control
};

// At most `concurrency` rows at a time. An Error means that there was no thread, and no row was started. Late rows end
// on threads of the pool, which outlives them.
template <typename T>
Result<std::vector<Result<T>>> run_batch(ThreadPool& threads, std::size_t rows, std::size_t concurrency,
                                         const BatchOptions& options, BatchWork<T> work) {
  if (rows == 0) return std::vector<Result<T>>();
  const auto run = std::make_shared<BatchRun<T>>(rows, options, std::chrono::steady_clock::now(), std::move(work));
  for (std::size_t thread = 0; thread < std::min(rows, concurrency); ++thread) {
    auto submitted = threads.submit([run] { run->work(); });
    if (!submitted && thread == 0) return fail(std::move(submitted.error()));
    if (!submitted) break;
  }
  run->control().wait();
  return run->take_results();
}

}  // namespace petri
