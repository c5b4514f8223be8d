// The account of a sandbox: what its tree of processes uses, and the limits it is held to.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "base/mutex.h"
#include "host/functions/log_rate.h"
#include "host/host_context.h"
#include "petri/limits.h"
#include "process/account/descriptor_pool.h"
#include "process/account/memory_budget.h"

namespace petri {

using SandboxLimitsPtr = std::shared_ptr<const SandboxLimits>;

// Any thread may use it. Counting costs an atomic addition each; the lock is held for moments, and nobody is notified
// with it.
class TreeAccount final : public MemoryAccount {
 public:
  // Limits and permissions are reported to it, on the thread whose doing it is. No process means that it was a run.
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void limit_met(std::string_view process, const LimitMet& met) = 0;
    virtual void permission_used(std::string_view process, const PermissionUse& use) = 0;
  };

  // The listener, and budget and pool for as long as something is taken of them, outlive it.
  explicit TreeAccount(SandboxLimitsPtr limits, Listener* listener = nullptr, MemoryBudget* budget = nullptr,
                       DescriptorPool* descriptors = nullptr);

  // memory_bytes_max holds for both: what the guests of the tree have (memories, tables, answers), and what the host
  // holds for them (messages, timers, children, listings, replies), of which kHostBytesFree do not count.
  bool try_take(std::uint64_t bytes) override;
  void give_back(std::uint64_t bytes) override {
    memory_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    let_go(bytes);
  }
  bool try_hold(std::uint64_t bytes) override;
  // Holds the bytes whether they fit or not: they were there before, and are there again.
  void hold_anyway(std::uint64_t bytes);
  void let_go(std::uint64_t bytes) override {
    all_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
    if (budget_ != nullptr) budget_->give_back(bytes);
  }
  std::uint64_t taken() const override { return all_bytes_.load(std::memory_order_relaxed); }
  std::uint64_t allowed() const override { return memory_bytes_max_.load(std::memory_order_relaxed); }
  void report_met(std::string_view process, const LimitMet& met) override {
    if (listener_ != nullptr) listener_->limit_met(process, met);
  }
  void report_used(std::string_view process, const PermissionUse& use) override {
    if (listener_ != nullptr) listener_->permission_used(process, use);
  }

  WasiErrno try_add_descriptor(LimitMet& met) override;
  void remove_descriptor() override;
  bool try_log(std::uint64_t bytes, std::uint64_t now_ms) override EXCLUDES(mutex_);
  bool try_add_process();
  void remove_process() { processes_.fetch_sub(1, std::memory_order_relaxed); }
  // Takes one of timers_max, and the bytes that a timer takes.
  enum class Added : std::uint8_t { yes, too_many, no_memory };
  Added try_add_timer();
  void remove_timer() {
    timers_.fetch_sub(1, std::memory_order_relaxed);
    let_go(kTimerBytes);
  }
  static constexpr std::uint64_t kTimerBytes = 304;  // its entries in the tables of the sandbox and of all timers
  void add_message() { messages_.fetch_add(1, std::memory_order_relaxed); }
  void remove_message() { messages_.fetch_sub(1, std::memory_order_relaxed); }
  void add_work(std::uint64_t fuel, std::uint64_t cpu_ns) {
    fuel_used_.fetch_add(fuel, std::memory_order_relaxed);
    cpu_ns_.fetch_add(cpu_ns, std::memory_order_relaxed);
  }

  std::uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }
  // The bytes that the host holds for the guests. Both numbers change while this is asked, one after the other.
  std::uint64_t host_bytes() const {
    const std::uint64_t all = taken();
    return all - std::min(all, memory_bytes());
  }
  std::uint64_t processes() const { return processes_.load(std::memory_order_relaxed); }
  std::uint64_t descriptors() const { return descriptors_.load(std::memory_order_relaxed); }
  std::uint64_t timers() const { return timers_.load(std::memory_order_relaxed); }
  std::uint64_t messages() const { return messages_.load(std::memory_order_relaxed); }
  std::uint64_t fuel_used() const { return fuel_used_.load(std::memory_order_relaxed); }
  std::uint64_t cpu_ns() const { return cpu_ns_.load(std::memory_order_relaxed); }

  // These are asked for each message, and take no lock.
  std::uint64_t message_bytes_max() const { return message_bytes_max_.load(std::memory_order_relaxed); }
  std::uint64_t threads_max() const { return threads_max_.load(std::memory_order_relaxed); }
  std::uint64_t message_queue_max() const { return message_queue_max_.load(std::memory_order_relaxed); }
  SandboxLimitsPtr limits() const EXCLUDES(mutex_);
  // A number that changes with the limits, and is cheap to compare before asking for them.
  std::uint32_t limits_number() const { return limits_number_.load(std::memory_order_acquire); }
  void set_limits(const SandboxLimits& limits) EXCLUDES(mutex_);

 private:
  static bool try_add(std::atomic<std::uint64_t>& used, std::uint64_t max, std::uint64_t amount);

  Listener* const listener_;
  MemoryBudget* const budget_;                  // of all trees together; nullptr: there is none
  DescriptorPool* const pool_;                  // of all trees together; nullptr: there is none
  std::atomic<std::uint64_t> memory_bytes_{0};  // the part of all_bytes_ that is the guests' own
  std::atomic<std::uint64_t> all_bytes_{0}, processes_{0}, timers_{0}, messages_{0}, fuel_used_{0}, cpu_ns_{0},
      descriptors_{0};
  std::atomic<std::uint64_t> memory_bytes_max_, processes_max_, timers_max_, message_bytes_max_, message_queue_max_,
      descriptors_max_, threads_max_;
  std::atomic<std::uint32_t> limits_number_{1};
  mutable Mutex mutex_;
  SandboxLimitsPtr limits_ GUARDED_BY(mutex_);
  LogRate log_rate_ GUARDED_BY(mutex_);  // of all instances together, however many there are one after another
};

// Holds so many bytes until the last who has the answer is gone, which keeps the account. nullptr: there is no room.
std::shared_ptr<void> hold_bytes(std::shared_ptr<TreeAccount> account, std::uint64_t bytes);

}  // namespace petri
