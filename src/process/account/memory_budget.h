// The memory that all sandboxes of a runtime may use together before it takes in no more.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <utility>

#include "petri/result.h"

namespace petri {

// Any thread may use it. Sandboxes that live may go beyond it, because their own limits hold them. Whoever is new is
// asked to come later.
class MemoryBudget {
 public:
  // Reported when it is spent, and when it is so no longer, on the thread whose doing it is.
  struct Pressure {
    bool spent = false;
    std::uint64_t used = 0, allowed = 0;
  };
  using OnPressure = std::function<void(const Pressure&)>;

  MemoryBudget(std::uint64_t bytes_max, OnPressure on_pressure)
      : bytes_max_(bytes_max), on_pressure_(std::move(on_pressure)) {}

  void take(std::uint64_t bytes) {
    const std::uint64_t now = used_.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    if (now >= bytes_max_) [[unlikely]]
      become(true, now);
  }
  void give_back(std::uint64_t bytes) {
    const std::uint64_t now = used_.fetch_sub(bytes, std::memory_order_relaxed) - bytes;
    if (spent_.load(std::memory_order_relaxed) && now < bytes_max_) [[unlikely]]
      become(false, now);
  }
  bool spent() const { return used() >= bytes_max_; }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t allowed() const { return bytes_max_; }

 private:
  // One thread reports each change.
  void become(bool spent, std::uint64_t used) {
    bool before = !spent;
    if (!spent_.compare_exchange_strong(before, spent)) return;
    on_pressure_({.spent = spent, .used = used, .allowed = bytes_max_});
  }

  const std::uint64_t bytes_max_;
  const OnPressure on_pressure_;
  std::atomic<std::uint64_t> used_{0};
  std::atomic<bool> spent_{false};
};

// busy when there is one, and it is spent.
Result<void> check_budget(const MemoryBudget* budget);

}  // namespace petri
