// A thread with a large stack that runs one call at a time for whoever holds it.
#pragma once

#include <cstddef>
#include <memory>

#include "base/large_thread.h"
#include "base/mutex.h"
#include "petri/result.h"

namespace petri {

// Used by one caller at a time.
class StackThread {
 public:
  static Result<std::unique_ptr<StackThread>> create(std::size_t stack_bytes);
  ~StackThread();

  // Runs `call(data)`, which must not throw, on the thread and returns when it has ended. The pages it left on the
  // stack are given back to the machine.
  void run(void (*call)(void* data), void* data) EXCLUDES(mutex_);

 private:
  struct Job {
    void (*call)(void* data) = nullptr;
    void* data = nullptr;
  };

  StackThread() = default;
  void work() EXCLUDES(mutex_);
  bool take(Job& job) EXCLUDES(mutex_);
  void finish() EXCLUDES(mutex_);

  Mutex mutex_;
  Condition changed_;
  Job job_ GUARDED_BY(mutex_);  // what is to be run; no call: nothing
  bool running_ GUARDED_BY(mutex_) = false;
  bool ending_ GUARDED_BY(mutex_) = false;
  std::unique_ptr<LargeThread> thread_;  // last: it uses all of the above
};

}  // namespace petri
