// The answers that callers of a sandbox do not wait for.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "petri/sandbox.h"

namespace petri {

// Numbers calls and runs, gives the answers to their completions, and counts what becomes of those. Any thread.
class Completions {
 public:
  // By which a call or a run can be cancelled; never 0, and each is given out once.
  std::uint64_t next_number() { return last_number_.fetch_add(1, std::memory_order_relaxed) + 1; }

  // Calls it on this thread, with no lock of the sandbox held. What it throws is counted and goes no further. Without a
  // completion nobody wants the answer.
  void complete(const Completion& then, Result<Outcome> result) {
    if (then == nullptr) return;
    try {
      then(std::move(result));
    } catch (...) {
      threw_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  // An answer came after its caller had stopped waiting.
  void add_late() { late_.fetch_add(1, std::memory_order_relaxed); }

  std::uint64_t threw() const { return threw_.load(std::memory_order_relaxed); }
  std::uint64_t late() const { return late_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> last_number_{0}, late_{0}, threw_{0};
};

}  // namespace petri
