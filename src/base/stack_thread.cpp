#include "base/stack_thread.h"

#include <utility>

#include "base/stack.h"

namespace petri {

Result<std::unique_ptr<StackThread>> StackThread::create(std::size_t stack_bytes) {
  std::unique_ptr<StackThread> thread(new StackThread);
  PETRI_TRY(thread->thread_, LargeThread::start({.name = "petri-stack", .stack_bytes = stack_bytes},
                                                [self = thread.get()] { self->work(); }));
  return thread;
}

StackThread::~StackThread() {
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
  }
  thread_.reset();
}

void StackThread::run(void (*call)(void* data), void* data) {
  const MutexLock lock(mutex_);
  job_ = {call, data};
  running_ = true;
  changed_.notify_all();
  while (running_) changed_.wait(mutex_);
}

void StackThread::work() {
  Job job;
  while (take(job)) {
    job.call(job.data);
    return_stack_pages();
    finish();
  }
}

bool StackThread::take(Job& job) {
  const MutexLock lock(mutex_);
  while (job_.call == nullptr && !ending_) changed_.wait(mutex_);
  job = std::exchange(job_, {});
  return job.call != nullptr;
}

void StackThread::finish() {
  const MutexLock lock(mutex_);
  running_ = false;
  changed_.notify_all();
}

}  // namespace petri
