#include "base/stack_thread.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "base/stack.h"

namespace petri {
namespace {

// Gives back what a finished call has left between here and the end of this thread's stack.
void return_stack_pages() {
  constexpr std::size_t kKept = std::size_t{64} << 10;
  const std::size_t left = stack_bytes_left();
  if (left <= 2 * kKept) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  const std::uintptr_t first = (here - left + kKept) / page * page;
  const std::uintptr_t last = (here - kKept) / page * page;
  ::madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
}

}  // namespace

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
