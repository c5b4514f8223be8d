#include "process/tree_account.h"

namespace petri {

TreeAccount::TreeAccount(SandboxLimitsPtr limits, Listener* listener, MemoryBudget* budget)
    : listener_(listener),
      budget_(budget),
      memory_bytes_max_(limits->memory_bytes_max),
      processes_max_(limits->processes_max),
      timers_max_(limits->timers_max),
      message_bytes_max_(limits->message_bytes_max),
      message_queue_max_(limits->message_queue_max),
      limits_(std::move(limits)) {}

bool TreeAccount::try_add(std::atomic<std::uint64_t>& used, const std::atomic<std::uint64_t>& max,
                          std::uint64_t amount) {
  std::uint64_t before = used.load(std::memory_order_relaxed);
  do {
    if (before + amount > max.load(std::memory_order_relaxed)) return false;
  } while (!used.compare_exchange_weak(before, before + amount, std::memory_order_relaxed));
  return true;
}

bool TreeAccount::try_take(std::uint64_t bytes) {
  if (bytes == 0) return true;
  if (!try_add(memory_bytes_, memory_bytes_max_, bytes)) return false;
  if (budget_ != nullptr) budget_->take(bytes);
  return true;
}

void TreeAccount::take_anyway(std::uint64_t bytes) {
  memory_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (budget_ != nullptr) budget_->take(bytes);
}

bool TreeAccount::try_add_process() { return try_add(processes_, processes_max_, 1); }

bool TreeAccount::try_add_timer() { return try_add(timers_, timers_max_, 1); }

SandboxLimitsPtr TreeAccount::limits() const {
  MutexLock lock(mutex_);
  return limits_;
}

void TreeAccount::set_limits(const SandboxLimits& limits) {
  MutexLock lock(mutex_);
  limits_ = std::make_shared<const SandboxLimits>(limits);
  memory_bytes_max_.store(limits.memory_bytes_max);
  processes_max_.store(limits.processes_max);
  timers_max_.store(limits.timers_max);
  message_bytes_max_.store(limits.message_bytes_max);
  message_queue_max_.store(limits.message_queue_max);
  limits_number_.fetch_add(1, std::memory_order_release);
}

}  // namespace petri
