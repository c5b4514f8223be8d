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

// ThreadSanitizer knows only the locks of the C library by itself. With these calls it sees ours, and reports two that
// are taken in both orders.
#ifdef __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#define PETRI_TSAN(call) call
#else
#define PETRI_TSAN(call)
#endif

namespace petri {

// Four bytes where std::mutex has forty: a sandbox has two dozen of them, and a runtime has a million sandboxes.
// Locking and unlocking are an atomic operation each; only a thread that finds it locked asks the kernel (futex). Not
// recursive, and no thread has a right to be next. It may be destroyed as soon as its last user has unlocked it.
class PETRI_THREAD_ANNOTATION(capability("mutex")) Mutex {
 public:
  Mutex() = default;
#ifdef __SANITIZE_THREAD__
  ~Mutex() { __tsan_mutex_destroy(this, 0); }
#endif
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() PETRI_THREAD_ANNOTATION(acquire_capability()) {
    PETRI_TSAN(__tsan_mutex_pre_lock(this, 0));
    if (!try_now()) [[unlikely]]
      wait_and_lock();
    PETRI_TSAN(__tsan_mutex_post_lock(this, 0, 0));
  }
  bool try_lock() PETRI_THREAD_ANNOTATION(try_acquire_capability(true)) {
    PETRI_TSAN(__tsan_mutex_pre_lock(this, __tsan_mutex_try_lock));
    const bool locked = try_now();
    PETRI_TSAN(__tsan_mutex_post_lock(this, __tsan_mutex_try_lock | (locked ? 0 : __tsan_mutex_try_lock_failed), 0));
    return locked;
  }
  void unlock() PETRI_THREAD_ANNOTATION(release_capability()) {
    PETRI_TSAN(__tsan_mutex_pre_unlock(this, 0));
    if (state_.exchange(kFree, std::memory_order_release) == kAwaited) [[unlikely]]
      wake_one();
    PETRI_TSAN(__tsan_mutex_post_unlock(this, 0));
  }

 private:
  static constexpr std::uint32_t kFree = 0, kLocked = 1,
                                 kAwaited = 2;  // kAwaited: locked, and a thread may wait for it
  bool try_now() {
    std::uint32_t expected = kFree;
    return state_.compare_exchange_strong(expected, kLocked, std::memory_order_acquire, std::memory_order_relaxed);
  }
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
