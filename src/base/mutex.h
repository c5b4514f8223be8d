// A mutex whose use Clang can prove: members say GUARDED_BY(mutex_), functions REQUIRES(mutex_).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
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

// Four bytes where std::mutex has forty: a sandbox has two dozen of them, and a runtime has a million sandboxes.
// Locking and unlocking are an atomic operation each; only a thread that finds it locked asks the kernel (futex). Not
// recursive, and no thread has a right to be next. It may be destroyed as soon as its last user has unlocked it.
class PETRI_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() PETRI_THREAD_ANNOTATION(acquire_capability()) {
    if (!try_lock()) [[unlikely]]
      wait_and_lock();
  }
  bool try_lock() PETRI_THREAD_ANNOTATION(try_acquire_capability(true)) {
    std::uint32_t expected = kFree;
    return state_.compare_exchange_strong(expected, kLocked, std::memory_order_acquire, std::memory_order_relaxed);
  }
  void unlock() PETRI_THREAD_ANNOTATION(release_capability()) {
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) [[unlikely]]
      wake_one();
  }

 private:
  static constexpr std::uint32_t kFree = 0, kLocked = 1,
                                 kAwaited = 2;  // kAwaited: locked, and a thread may wait for it
  void wait_and_lock();
  void wake_one();

  std::atomic<std::uint32_t> state_{kFree};
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

// Wakes may be spurious: wait in a loop that looks at what is waited for. That changes only under the mutex, so whoever
// notifies sees all who wait for it; with none, notifying does not ask the kernel. A condition whose owner waits for
// the last notification is notified under the mutex.
class Condition {
 public:
  Condition() = default;
  Condition(const Condition&) = delete;
  Condition& operator=(const Condition&) = delete;

  void wait(Mutex& mutex) REQUIRES(mutex) { wait_until(mutex, std::chrono::steady_clock::time_point::max()); }
  // Returns false once the deadline has passed.
  bool wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) REQUIRES(mutex);
  void notify_one() { notify(1); }
  void notify_all() { notify(kEverybody); }

 private:
  static constexpr std::uint32_t kEverybody = 0x7fff'ffff;
  void notify(std::uint32_t threads);

  std::atomic<std::uint32_t> notified_{0};  // a number that each notification changes
  std::atomic<std::uint32_t> waiting_{0};
};

}  // namespace petri
