// What the tree of a sandbox uses, and the limits it is held to.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/mutex.h"
#include "host/host_context.h"
#include "petri/sandbox_limits.h"
#include "process/memory_budget.h"

namespace petri {

using SandboxLimitsPtr = std::shared_ptr<const SandboxLimits>;

// Any thread. Counting costs an atomic addition each.
class TreeAccount final : public MemoryAccount {
 public:
  // Who is told of it all, on the thread whose doing it is. No process: it was a run.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void limit_met(std::string_view process, const LimitMet& met) = 0;
    virtual void permission_used(std::string_view process, const PermissionUse& use) = 0;
  };

  // The listener, and the budget for as long as something is taken, outlive it.
  explicit TreeAccount(SandboxLimitsPtr limits, Listener* listener = nullptr, MemoryBudget* budget = nullptr);

  // memory_bytes_max: memories, tables, answers and waiting messages of the whole tree.
  bool try_take(std::uint64_t bytes) override;
  // What was there before, and is there again.
  void take_anyway(std::uint64_t bytes);
  void give_back(std::uint64_t bytes) override {
    memory_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    if (budget_ != nullptr) budget_->give_back(bytes);
  }
  std::uint64_t taken() const override { return memory_bytes(); }
  std::uint64_t allowed() const override { return memory_bytes_max_.load(std::memory_order_relaxed); }
  void tell_met(std::string_view process, const LimitMet& met) override {
    if (listener_ != nullptr) listener_->limit_met(process, met);
  }
  void tell_used(std::string_view process, const PermissionUse& use) override {
    if (listener_ != nullptr) listener_->permission_used(process, use);
  }

  bool try_add_process();
  void remove_process() { processes_.fetch_sub(1, std::memory_order_relaxed); }
  bool try_add_timer();
  void remove_timer() { timers_.fetch_sub(1, std::memory_order_relaxed); }
  void add_message() { messages_.fetch_add(1, std::memory_order_relaxed); }
  void remove_message() { messages_.fetch_sub(1, std::memory_order_relaxed); }
  void add_work(std::uint64_t fuel, std::uint64_t cpu_ns) {
    fuel_used_.fetch_add(fuel, std::memory_order_relaxed);
    cpu_ns_.fetch_add(cpu_ns, std::memory_order_relaxed);
  }

  std::uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  std::uint64_t processes() const { return processes_.load(std::memory_order_relaxed); }
  std::uint64_t timers() const { return timers_.load(std::memory_order_relaxed); }
  std::uint64_t messages() const { return messages_.load(std::memory_order_relaxed); }
  std::uint64_t fuel_used() const { return fuel_used_.load(std::memory_order_relaxed); }
  std::uint64_t cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }

  // Asked for each message, without a lock.
  std::uint64_t message_bytes_max() const { return message_bytes_max_.load(std::memory_order_relaxed); }
  std::uint64_t message_queue_max() const { return message_queue_max_.load(std::memory_order_relaxed); }
  SandboxLimitsPtr limits() const EXCLUDES(mutex_);
  // Another number for other limits: cheap to compare before asking for them.
  std::uint32_t limits_number() const { return limits_number_.load(std::memory_order_acquire); }
  void set_limits(const SandboxLimits& limits) EXCLUDES(mutex_);

 private:
  static bool try_add(std::atomic<std::uint64_t>& used, const std::atomic<std::uint64_t>& max, std::uint64_t amount);

  Listener* const listener_;
  MemoryBudget* const budget_;  // of all trees together, if there is one
  std::atomic<std::uint64_t> memory_bytes_{0}, processes_{0}, timers_{0}, messages_{0}, fuel_used_{0}, cpu_ns_{0};
  std::atomic<std::uint64_t> memory_bytes_max_, processes_max_, timers_max_, message_bytes_max_, message_queue_max_;
  std::atomic<std::uint32_t> limits_number_{1};
  mutable Mutex mutex_;
  SandboxLimitsPtr limits_ GUARDED_BY(mutex_);
};

}  // namespace petri
