#include "base/threads/thread_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "base/assert.h"
#include "base/threads/countdown.h"
#include "base/threads/stack.h"

namespace petri {

ThreadPool::~ThreadPool() {
  std::map<std::uint64_t, std::unique_ptr<LargeThread>> threads;
  {
    const MutexLock lock(mutex_);
    ending_ = true;
    changed_.notify_all();
    threads = std::move(threads_);
  }
}

Result<void> ThreadPool::submit(Task task) {
  PETRI_ASSERT(task != nullptr);
  join_ended();
  const MutexLock lock(mutex_);
  PETRI_TRY(start_threads(1));
  if (waiting_.size() >= idle_ && waiting_.size() - idle_ >= options_.queue_max) {
    return fail(ErrorCode::queue_full,
                fmt::format("{} tasks wait for a thread already, as many as may; try again later", options_.queue_max));
  }
  waiting_.push_back({.task = std::move(task)});
  changed_.notify_one();
  return {};
}

Result<void> ThreadPool::run(unsigned count, const std::function<void(unsigned part)>& body) {
  join_ended();
  Countdown parts(count);
  {
    const MutexLock lock(mutex_);
    PETRI_TRY(start_threads(count));
    for (unsigned part = 0; part < count; ++part) {
      waiting_.push_back({.task = [part, &body] { body(part); }, .parts = &parts});
    }
    changed_.notify_all();
  }
  parts.wait();
  return {};
}

void ThreadPool::for_each(std::size_t count, const std::function<void(std::size_t index)>& work) {
  std::atomic<std::size_t> next{0};
  const auto take = [&](unsigned) {
    for (std::size_t index = 0; (index = next.fetch_add(1)) < count;) work(index);
  };
  const std::size_t threads = std::min<std::size_t>(count, std::max(1U, std::thread::hardware_concurrency()));
  if (!run(static_cast<unsigned>(threads), take)) take(0);
}

// The idle threads are those of the tasks that wait, and of as many new ones as are left.
Result<void> ThreadPool::start_threads(std::size_t tasks) {
  while (idle_ < waiting_.size() + tasks && alive_ < options_.threads_max) {
    const std::uint64_t number = ++last_thread_;
    auto thread = LargeThread::start({.name = options_.name, .stack_bytes = options_.stack_bytes},
                                     [this, number] { work(number); });
    if (!thread) {
      if (alive_ == 0) return fail(std::move(thread.error()));
      break;  // fewer threads do the same work
    }
    threads_.emplace(number, std::move(*thread));
    ++idle_;
    ++alive_;
  }
  return {};
}

void ThreadPool::work(std::uint64_t number) {
  const MutexLock lock(mutex_);
  for (;;) {
    while (waiting_.empty() && !ending_ && idle_ <= options_.idle_max) changed_.wait(mutex_);
    if (waiting_.empty()) break;
    Job job = std::move(waiting_.front());
    waiting_.pop_front();
    --idle_;
    mutex_.unlock();
    job.task();
    job.task = nullptr;
    if (std::exchange(this_stack_was_deep, false)) return_stack_pages();
    mutex_.lock();
    ++idle_;
    // Only now: whoever waits for it finds this thread idle, and its stack given back.
    if (job.parts != nullptr) job.parts->end_one();
  }
  --idle_;
  --alive_;
  ended_.push_back(number);
}

// A thread cannot join itself. While one is joined the lock is free.
void ThreadPool::join_ended() {
  std::vector<std::unique_ptr<LargeThread>> joined;
  const MutexLock lock(mutex_);
  for (const std::uint64_t number : std::exchange(ended_, {})) {
    const auto found = threads_.find(number);
    if (found == threads_.end()) continue;  // the destructor has it
    joined.push_back(std::move(found->second));
    threads_.erase(found);
  }
}

}  // namespace petri
