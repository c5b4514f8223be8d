#include "base/executor.h"

#include <fmt/format.h>

#include <utility>

#include "base/assert.h"

namespace petri {

Result<std::unique_ptr<Executor>> Executor::create(Options options) {
  if (options.workers == 0 || options.queue_max == 0) {
    return fail(ErrorCode::validation_failed,
                "An executor needs at least one worker and a queue of at least one task.");
  }
  std::unique_ptr<Executor> executor(new Executor(std::move(options)));
  PETRI_TRY(executor->start_workers());
  return executor;
}

Executor::~Executor() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    task_added_.notify_all();
  }
  threads_.clear();
}

Result<void> Executor::start_workers() {
  for (std::size_t i = 0; i < options_.workers; ++i) {
    PETRI_TRY(auto thread,
              LargeThread::start({.name = fmt::format("{}-{}", options_.name, i), .stack_bytes = options_.stack_bytes},
                                 [this] { work(); }));
    threads_.push_back(std::move(thread));
  }
  return {};
}

Result<void> Executor::submit(Task task) {
  PETRI_ASSERT(task != nullptr);
  const MutexLock lock(mutex_);
  if (waiting_.size() >= options_.queue_max) {
    return fail(
        ErrorCode::queue_full,
        fmt::format("{} tasks wait for a worker already, as many as may; try again later.", options_.queue_max));
  }
  waiting_.push_back(std::move(task));
  task_added_.notify_one();
  return {};
}

void Executor::drain() {
  const MutexLock lock(mutex_);
  while (!waiting_.empty() || running_ != 0) idle_.wait(mutex_);
}

void Executor::work() {
  while (Task task = next_task()) {
    task();
    // What the task holds is gone before drain() returns.
    task = nullptr;
    finish_task();
  }
}

Executor::Task Executor::next_task() {
  const MutexLock lock(mutex_);
  while (waiting_.empty() && !ending_) task_added_.wait(mutex_);
  if (waiting_.empty()) return nullptr;
  Task task = std::move(waiting_.front());
  waiting_.pop_front();
  ++running_;
  return task;
}

void Executor::finish_task() {
  const MutexLock lock(mutex_);
  --running_;
  if (waiting_.empty() && running_ == 0) idle_.notify_all();
}

}  // namespace petri
