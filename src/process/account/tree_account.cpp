#include "process/account/tree_account.h"

namespace petri {

TreeAccount::TreeAccount(SandboxLimitsPtr limits, Listener* listener, MemoryBudget* budget, DescriptorPool* descriptors)
    : listener_(listener),
      budget_(budget),
      pool_(descriptors),
      memory_bytes_max_(limits->memory_bytes_max),
      processes_max_(limits->processes_max),
      timers_max_(limits->timers_max),
      message_bytes_max_(limits->message_bytes_max),
      message_queue_max_(limits->message_queue_max),
      descriptors_max_(limits->descriptors_max),
      threads_max_(limits->threads_max),
      limits_(std::move(limits)),
      log_rate_(limits_->log_bytes_per_second_max) {}

// Adds only what fits, so that of two who ask at once neither is refused for what the other did not get. Relaxed, here
// and everywhere in the account: each number stands for itself, and nothing else is read because of it.
bool TreeAccount::try_add(std::atomic<std::uint64_t>& used, std::uint64_t max, std::uint64_t amount) {
  std::uint64_t before = used.load(std::memory_order_relaxed);
  do {
    if (before + amount > max) return false;
  } while (!used.compare_exchange_weak(before, before + amount, std::memory_order_relaxed));
  return true;
}

// Guests may not use what the host has free for itself, so their own memory is counted twice: by itself, and with all.
bool TreeAccount::try_take(std::uint64_t bytes) {
  if (bytes == 0) return true;
  if (!try_add(memory_bytes_, allowed(), bytes)) return false;
  if (try_hold(bytes)) return true;
  memory_bytes_.fetch_sub(bytes, std::memory_order_relaxed);
  return false;
}

bool TreeAccount::try_hold(std::uint64_t bytes) {
  if (!try_add(all_bytes_, allowed() + kHostBytesFree, bytes)) return false;
  if (budget_ != nullptr) budget_->take(bytes);
  return true;
}

void TreeAccount::hold_anyway(std::uint64_t bytes) {
  all_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (budget_ != nullptr) budget_->take(bytes);
}

// The own limit is asked first: a sandbox that has met it learns that, also while the pool of all is empty.
WasiErrno TreeAccount::try_add_descriptor(LimitMet& met) {
  const std::uint64_t allowed = descriptors_max_.load(std::memory_order_relaxed);
  if (!try_add(descriptors_, allowed, 1)) {
    met = {.limit = "descriptors_max", .wanted = descriptors() + 1, .allowed = allowed};
    return WasiErrno::mfile;
  }
  if (pool_ == nullptr || pool_->try_take()) return WasiErrno::success;
  descriptors_.fetch_sub(1, std::memory_order_relaxed);
  return WasiErrno::nfile;
}

void TreeAccount::remove_descriptor() {
  descriptors_.fetch_sub(1, std::memory_order_relaxed);
  if (pool_ != nullptr) pool_->give_back();
}

bool TreeAccount::try_log(std::uint64_t bytes, std::uint64_t now_ms) {
  MutexLock lock(mutex_);
  return log_rate_.try_spend(bytes, now_ms);
}

bool TreeAccount::try_add_process() { return try_add(processes_, processes_max_.load(std::memory_order_relaxed), 1); }

TreeAccount::Added TreeAccount::try_add_timer() {
  if (!try_add(timers_, timers_max_.load(std::memory_order_relaxed), 1)) return Added::too_many;
  if (try_hold(kTimerBytes)) return Added::yes;
  timers_.fetch_sub(1, std::memory_order_relaxed);
  return Added::no_memory;
}

SandboxLimitsPtr TreeAccount::limits() const {
  MutexLock lock(mutex_);
  return limits_;
}

void TreeAccount::set_limits(const SandboxLimits& limits) {
  MutexLock lock(mutex_);
  if (limits.log_bytes_per_second_max != limits_->log_bytes_per_second_max)
    log_rate_ = LogRate(limits.log_bytes_per_second_max);
  limits_ = std::make_shared<const SandboxLimits>(limits);
  memory_bytes_max_.store(limits.memory_bytes_max);
  processes_max_.store(limits.processes_max);
  timers_max_.store(limits.timers_max);
  message_bytes_max_.store(limits.message_bytes_max);
  message_queue_max_.store(limits.message_queue_max);
  descriptors_max_.store(limits.descriptors_max);
  threads_max_.store(limits.threads_max);
  // Last: whoever sees the new number finds the new limits.
  limits_number_.fetch_add(1, std::memory_order_release);
}

// The account is its own control block's deleter: no object is allocated for the bytes.
std::shared_ptr<void> hold_bytes(std::shared_ptr<TreeAccount> account, std::uint64_t bytes) {
  if (!account->try_hold(bytes)) return nullptr;
  TreeAccount* const held = account.get();
  return {held, [account = std::move(account), bytes](TreeAccount*) { account->let_go(bytes); }};
}

}  // namespace petri
