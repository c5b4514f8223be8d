// The descriptors of the host that guests may have open together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "petri/result.h"

namespace petri {

// What the process may open at all, less what petri and its embedder keep for themselves. Any thread.
class DescriptorPool {
 public:
  explicit DescriptorPool(std::uint64_t descriptors_max) : descriptors_max_(descriptors_max) {}

  bool try_take() {
    if (used_.fetch_add(1, std::memory_order_relaxed) < descriptors_max_) return true;
    give_back();
    return false;
  }
  void give_back() { used_.fetch_sub(1, std::memory_order_relaxed); }
  std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
  std::uint64_t allowed() const { return descriptors_max_; }

  // What is left of the kernel's own limit once `reserve` are kept back.
  static std::uint64_t of_this_process(std::uint64_t reserve);

 private:
  const std::uint64_t descriptors_max_;
  std::atomic<std::uint64_t> used_{0};
};

// One for the host itself, given back with the last who has the answer. busy when nothing is left of the pool, if there
// is one.
Result<std::shared_ptr<void>> take_descriptor(const std::shared_ptr<DescriptorPool>& pool);

}  // namespace petri
