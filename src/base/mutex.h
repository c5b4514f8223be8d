// A mutex whose use Clang can prove: members say GUARDED_BY(mutex_), functions REQUIRES(mutex_).
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#ifdef __clang__
#define PETRI_THREAD_ANNOTATION(x) __attribute__((x))
#else
#define PETRI_THREAD_ANNOTATION(x)
#endif
#define GUARDED_BY(mutex) PETRI_THREAD_ANNOTATION(guarded_by(mutex))
#define REQUIRES(mutex) PETRI_THREAD_ANNOTATION(requires_capability(mutex))
#define EXCLUDES(mutex) PETRI_THREAD_ANNOTATION(locks_excluded(mutex))

namespace petri {

class PETRI_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  void lock() PETRI_THREAD_ANNOTATION(acquire_capability()) { mutex_.lock(); }
  bool try_lock() PETRI_THREAD_ANNOTATION(try_acquire_capability(true)) { return mutex_.try_lock(); }
  void unlock() PETRI_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }

 private:
  friend class Condition;
  std::mutex mutex_;
};

class PETRI_THREAD_ANNOTATION(scoped_lockable) MutexLock {
 public:
  explicit MutexLock(Mutex& mutex) PETRI_THREAD_ANNOTATION(acquire_capability(mutex)) : mutex_(mutex) { mutex_.lock(); }
  // Takes over a mutex that this thread has locked already; unlocks it at the end of the scope, also when an exception
  // leaves it.
  MutexLock(Mutex& mutex, std::adopt_lock_t) REQUIRES(mutex) : mutex_(mutex) {}
  ~MutexLock() PETRI_THREAD_ANNOTATION(release_capability()) { mutex_.unlock(); }
  MutexLock(const MutexLock&) = delete;
  MutexLock& operator=(const MutexLock&) = delete;

 private:
  Mutex& mutex_;
};

// Wakes may be spurious: wait in a loop that looks at what is waited for.
class Condition {
 public:
  void wait(Mutex& mutex) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    condition_.wait(lock);
    lock.release();  // NOLINT(bugprone-unused-return-value): the caller still holds it
  }
  // False once the deadline has passed.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) REQUIRES(mutex) {
    std::unique_lock<std::mutex> lock(mutex.mutex_, std::adopt_lock);
    const std::cv_status status = condition_.wait_until(lock, deadline);
    lock.release();  // NOLINT(bugprone-unused-return-value): the caller still holds it
    return status == std::cv_status::no_timeout;
  }
  void notify_one() { condition_.notify_one(); }
  void notify_all() { condition_.notify_all(); }

 private:
  std::condition_variable condition_;
};

}  // namespace petri
