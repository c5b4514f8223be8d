// Threads that are started when they are needed, and kept for the next task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "base/threads/large_thread.h"
#include "petri/result.h"

namespace petri {

class Countdown;

// Tasks start in the order they were submitted, at once while there may be another thread. Whoever needs threads owns a
// pool of them: a runtime, an evaluator. Guests of sandboxes run on `Workers` (src/process) instead, whose threads need
// a permit. All members may be called from any thread, also from inside a task, except the destructor.
class ThreadPool {
 public:
  using Task = std::function<void()>;  // must not throw
  static constexpr std::size_t kUnbounded = std::numeric_limits<std::size_t>::max();

  struct Options {
    std::string name = "petri-worker";
    std::size_t stack_bytes = kLargeStackBytes;
    std::size_t threads_max = kUnbounded;
    std::size_t idle_max = kUnbounded;   // threads that are kept while they have nothing to do
    std::size_t queue_max = kUnbounded;  // tasks that wait because there are threads_max threads
  };

  // Starts no thread yet.
  explicit ThreadPool(Options options) : options_(std::move(options)) {}
  // Finishes every task that was accepted, then ends the threads.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Returns at once. Refused, and never run: `queue_full` with `queue_max` tasks waiting, `busy` when the machine gives
  // no thread at all.
  Result<void> submit(Task task) EXCLUDES(mutex_);

  // Calls the body, which must not throw, for the parts 0 to count - 1, and returns when all have ended. Parts that get
  // no thread of their own wait for one, however long the queue is. `busy` as above: then nothing was called.
  Result<void> run(unsigned count, const std::function<void(unsigned part)>& body) EXCLUDES(mutex_);

  // Calls the work, which must not throw, once for each index below `count`, on as many threads as the machine has
  // cores, and returns when all is done. Without a thread this one does it.
  void for_each(std::size_t count, const std::function<void(std::size_t index)>& work) EXCLUDES(mutex_);

 private:
  struct Job {
    Task task;
    Countdown* parts = nullptr;  // those of a run(): this is one of them
  };

  Result<void> start_threads(std::size_t tasks) REQUIRES(mutex_);
  void work(std::uint64_t number) EXCLUDES(mutex_);
  void join_ended() EXCLUDES(mutex_);

  const Options options_;
  Mutex mutex_;
  Condition changed_;
  std::deque<Job> waiting_ GUARDED_BY(mutex_);
  std::size_t idle_ GUARDED_BY(mutex_) = 0;   // threads without a task, also those that are about to take one
  std::size_t alive_ GUARDED_BY(mutex_) = 0;  // threads that have not ended
  bool ending_ GUARDED_BY(mutex_) = false;
  std::uint64_t last_thread_ GUARDED_BY(mutex_) = 0;
  std::vector<std::uint64_t> ended_ GUARDED_BY(mutex_);  // numbers of threads that can be joined
  // By number, until they are joined. Last: they use all of the above.
  std::map<std::uint64_t, std::unique_ptr<LargeThread>> threads_ GUARDED_BY(mutex_);
};

}  // namespace petri
