// Worker threads for tasks, each with a stack large enough for any guest.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/large_thread.h"
#include "base/mutex.h"
#include "petri/result.h"

namespace petri {

// Tasks start in the order they were submitted, on `workers` threads. All members may be called from any thread, also
// from inside a task, except drain() and the destructor, which a task must not call.
class Executor {
 public:
  using Task = std::function<void()>;  // must not throw

  struct Options {
    std::size_t workers = 1;
    std::size_t queue_max = 100'000;  // tasks that wait for a worker
    std::size_t stack_bytes = kLargeStackBytes;
    std::string name = "petri-worker";
  };

  // validation_failed for no workers or no queue; `busy` when the machine gives no threads.
  static Result<std::unique_ptr<Executor>> create(Options options);

  // Finishes every task that was accepted, then ends the threads.
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Returns at once. With `queue_max` tasks waiting the task is refused as queue_full and never run.
  Result<void> submit(Task task) EXCLUDES(mutex_);

  // Returns once no task waits or runs, those that tasks submitted meanwhile included.
  void drain() EXCLUDES(mutex_);

  std::size_t workers() const { return options_.workers; }

 private:
  explicit Executor(Options options) : options_(std::move(options)) {}
  Result<void> start_workers();
  void work() EXCLUDES(mutex_);
  Task next_task() EXCLUDES(mutex_);
  void finish_task() EXCLUDES(mutex_);

  const Options options_;
  Mutex mutex_;
  Condition task_added_;
  Condition idle_;
  std::deque<Task> waiting_ GUARDED_BY(mutex_);
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<LargeThread>> threads_;  // last: they use all of the above
};

}  // namespace petri
