// The descriptors of the host that guests may have open together.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "petri/result.h"

namespace petri {

// As many as the kernel lets this program open, less what petri and its embedder keep for themselves. Any thread may
// use it.
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

  // How many the kernel's own limit leaves once `reserve` are kept back.
  static std::uint64_t of_this_process(std::uint64_t reserve);

 private:
  const std::uint64_t descriptors_max_;
  std::atomic<std::uint64_t> used_{0};
};

// Takes one for the host itself, which is given back with the last copy of the answer. busy when nothing is left of the
// pool; without a pool (nullptr) there is always one.
Result<std::shared_ptr<void>> take_descriptor(const std::shared_ptr<DescriptorPool>& pool);

}  // namespace petri
