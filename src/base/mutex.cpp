#include "base/mutex.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <ctime>

namespace petri {
namespace {

using Word = std::atomic<std::uint32_t>;
static_assert(sizeof(Word) == sizeof(std::uint32_t) && Word::is_always_lock_free);

// Sleeps unless the word has changed already. Returns false once the deadline has passed; nullptr if there is none.
bool sleep_while(const Word& word, std::uint32_t value, const timespec* deadline) {
  // The bitset is of the kernel's calls the one that takes a time of the steady clock, not a duration.
  return ::syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, value, deadline, nullptr, FUTEX_BITSET_MATCH_ANY) ==
             0 ||
         errno != ETIMEDOUT;
}

void wake(const Word& word, std::uint32_t threads) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, threads, nullptr, nullptr, 0);
}

timespec to_timespec(std::chrono::steady_clock::time_point time) {
  constexpr std::int64_t kNanoseconds = 1'000'000'000;
  // The kernel refuses times before its start; they have passed in any case.
  const std::int64_t ns =
      std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time.time_since_epoch()).count(), 0);
  return {.tv_sec = static_cast<time_t>(ns / kNanoseconds), .tv_nsec = static_cast<long>(ns % kNanoseconds)};
}

}  // namespace

// From here on the mutex says that somebody waits, also where this thread was the only one: the unlock that follows may
// wake nobody, and none is forgotten.
void Mutex::wait_and_lock() {
  while (state_.exchange(kAwaited, std::memory_order_acquire) != kFree) sleep_while(state_, kAwaited, nullptr);
}

void Mutex::wake_one() { wake(state_, 1); }

bool Condition::wait_until(Mutex& mutex, std::chrono::steady_clock::time_point deadline) {
  const timespec time = to_timespec(deadline);
  const bool forever = deadline == std::chrono::steady_clock::time_point::max();
  waiting_.fetch_add(1, std::memory_order_relaxed);
  const std::uint32_t before = notified_.load(std::memory_order_relaxed);
  // A notification that comes from here on changes the number, so that the thread does not fall asleep.
  mutex.unlock();
  const bool in_time = sleep_while(notified_, before, forever ? nullptr : &time);
  mutex.lock();
  waiting_.fetch_sub(1, std::memory_order_relaxed);
  return in_time;
}

void Condition::notify(std::uint32_t threads) {
  if (waiting_.load(std::memory_order_relaxed) == 0) return;
  notified_.fetch_add(1, std::memory_order_relaxed);
  wake(notified_, threads);
}

}  // namespace petri
