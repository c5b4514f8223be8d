// Threads with large stacks that evaluations share.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/large_thread.h"
#include "base/mutex.h"
#include "evaluation/evaluation_threads.h"
#include "petri/result.h"

namespace petri {

// Threads are started when they are needed and kept for the next time. For evaluations that share them with nobody.
class WorkerPool final : public EvaluationThreads {
 public:
  WorkerPool() = default;
  // Waits for the threads; no call is under way.
  ~WorkerPool() override;
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  Result<void> run(unsigned count, const Body& body) override EXCLUDES(mutex_);
  // One a core.
  unsigned workers() const override;

 private:
  struct Job {
    const Body& body;
    unsigned count;
    unsigned begun = 0;
    unsigned ended = 0;
  };

  Result<void> start_threads(std::size_t needed) REQUIRES(mutex_);
  void work() EXCLUDES(mutex_);

  Mutex mutex_;
  Condition changed_;
  std::deque<Job*> waiting_ GUARDED_BY(mutex_);  // jobs with parts that nobody has started
  std::size_t idle_ GUARDED_BY(mutex_) = 0;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::vector<std::unique_ptr<LargeThread>> threads_ GUARDED_BY(mutex_);  // last: they use all of the above
};

}  // namespace petri
