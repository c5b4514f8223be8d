// The occupancy of a process, which says whether a thread has entered it: the rule, and the word that holds the state.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

#include "base/assert.h"

namespace petri {

enum class Occupation : std::uint8_t {
  down,    // there is no instance; one may be started
  idle,    // there is an instance, and no thread has entered
  busy,    // one thread has entered, or a task that will enter is on its way; only that thread touches the guest
  closed,  // nobody will start it again
};

enum class OccupationEvent : std::uint8_t {
  start,  // a thread enters to create an instance, or to put one in the place of one that crashed
  enter,  // a thread enters to use the instance
  leave,  // the thread leaves a live instance behind
  end,    // the thread leaves, and the instance is gone
  close,  // it was removed from its sandbox
};

// The whole state machine of a process: the state after an event, or nothing where the event cannot happen. What keeps
// an idle process from being entered (it is held, killed, or behind a closed gate) is asked before: see Entrance.
constexpr std::optional<Occupation> next(Occupation now, OccupationEvent event) {
  using enum Occupation;
  const auto only_from = [now](Occupation from, Occupation to) {
    return now == from ? std::optional(to) : std::nullopt;
  };
  switch (event) {
    case OccupationEvent::start: return only_from(down, busy);
    case OccupationEvent::enter: return only_from(idle, busy);
    case OccupationEvent::leave: return now == closed ? std::optional(closed) : only_from(busy, idle);
    case OccupationEvent::end: return now == closed ? std::optional(closed) : only_from(busy, down);
    case OccupationEvent::close: return closed;
  }
  return std::nullopt;
}

// The state, in one word with a mark that says whether the lock is needed to change it. Without the mark a thread
// enters and leaves with one atomic exchange: a call from outside to an idle process takes no lock. Whoever has the
// lock sets the mark first, and from then on nobody else changes the word.
class Occupancy {
 public:
  Occupation now() const { return static_cast<Occupation>(word_.load(std::memory_order_acquire) & kState); }

  // Without the lock. False: the event cannot happen, or the lock is needed.
  bool try_without_lock(OccupationEvent event) {
    std::uint8_t expected = from(event);
    const std::uint8_t wanted = word(*next(static_cast<Occupation>(expected), event));
    return word_.compare_exchange_strong(expected, wanted, std::memory_order_acq_rel, std::memory_order_relaxed);
  }

  // With the lock: from require_lock() to release_lock() the word is this thread's.
  void require_lock() {
    if ((word_.load(std::memory_order_acquire) & kNeedsLock) == 0)
      word_.fetch_or(kNeedsLock, std::memory_order_acq_rel);
  }
  // The mark is taken away.
  void release_lock() { word_.fetch_and(kState, std::memory_order_release); }
  // Returns false if the event cannot happen now.
  bool try_advance(OccupationEvent event) {
    const std::optional<Occupation> after = next(now(), event);
    if (after) word_.store(word(*after) | kNeedsLock, std::memory_order_release);
    return after.has_value();
  }
  void advance(OccupationEvent event) { PETRI_ASSERT(try_advance(event)); }

 private:
  static constexpr std::uint8_t kState = 0x0f, kNeedsLock = 0x10;
  static constexpr std::uint8_t word(Occupation state) { return static_cast<std::uint8_t>(state); }
  // Only these two happen without the lock.
  static constexpr std::uint8_t from(OccupationEvent event) {
    return word(event == OccupationEvent::enter ? Occupation::idle : Occupation::busy);
  }

  std::atomic<std::uint8_t> word_{word(Occupation::down)};
};

}  // namespace petri
