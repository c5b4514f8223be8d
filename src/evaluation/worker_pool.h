// Threads with large stacks that evaluations share.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/large_thread.h"
#include "base/mutex.h"
#include "petri/result.h"

namespace petri {

// Threads are started when they are needed and kept for the next time. Any thread may call.
class WorkerPool {
 public:
  WorkerPool() = default;
  // Waits for the threads; no call is under way.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  // Calls body(0) to body(count - 1), at once if the machine gives the threads, and returns when all have ended. `busy`
  // when there is no thread at all: then nothing was called.
  Result<void> run(unsigned count, const std::function<void(unsigned)>& body) EXCLUDES(mutex_);

 private:
  struct Job {
    const std::function<void(unsigned)>& body;
    unsigned count;
    unsigned begun = 0;
    unsigned ended = 0;
  };

  Result<void> start_threads(std::size_t needed) REQUIRES(mutex_);
  void work() EXCLUDES(mutex_);

  Mutex mutex_;
  Condition changed_;
  std::deque<Job*> waiting_ GUARDED_BY(mutex_);  // jobs with parts that nobody has begun
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<LargeThread>> threads_ GUARDED_BY(mutex_);  // last: they use all of the above
};

}  // namespace petri
