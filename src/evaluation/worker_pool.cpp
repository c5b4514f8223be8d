#include "evaluation/worker_pool.h"

#include <algorithm>
#include <thread>
#include <utility>

namespace petri {

WorkerPool::~WorkerPool() {
  std::vector<std::unique_ptr<LargeThread>> threads;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
    threads = std::move(threads_);
  }
}

unsigned WorkerPool::workers() const { return std::max(1U, std::thread::hardware_concurrency()); }

Result<void> WorkerPool::run(unsigned count, const Body& body) {
  Job job{.body = body, .count = count};
  const MutexLock lock(mutex_);
  // Parts of other jobs may wait for the idle ones.
  std::size_t needed = count;
  for (const Job* other : waiting_) needed += other->count - other->begun;
  PETRI_TRY(start_threads(needed));
  waiting_.push_back(&job);
  changed_.notify_all();
  while (job.ended != job.count) changed_.wait(mutex_);
  return {};
}

Result<void> WorkerPool::start_threads(std::size_t needed) {
  for (std::size_t ready = idle_; ready < needed; ++ready) {
    auto thread = LargeThread::start({.name = "petri-eval"}, [this] { work(); });
    if (!thread) {
      if (threads_.empty()) return fail(std::move(thread.error()));
      break;  // fewer threads do the same work
    }
    threads_.push_back(std::move(*thread));
    ++idle_;
  }
  return {};
}

void WorkerPool::work() {
  const MutexLock lock(mutex_);
  for (;;) {
    while (waiting_.empty() && !ending_) changed_.wait(mutex_);
    if (ending_) return;
    Job& job = *waiting_.front();
    const unsigned part = job.begun++;
    if (job.begun == job.count) waiting_.pop_front();
    --idle_;
    mutex_.unlock();
    job.body(part, nullptr);
    mutex_.lock();
    ++idle_;
    if (++job.ended == job.count) changed_.notify_all();
  }
}

}  // namespace petri
