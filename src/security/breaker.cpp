#include "security/breaker.h"

#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<3> kStates{"closed", "open", "half_open"};

}  // namespace

std::string_view name_of(BreakerState state) { return name_in(kStates, state); }

Breaker::Memory& Breaker::memory() {
  std::call_once(made_, [this] {
    memory_ = std::make_unique<Memory>();
    has_memory_.store(true, std::memory_order_release);
  });
  return *memory_;
}

Breaker::Change Breaker::become(BreakerState state, const Memory& memory) {
  return {.from = state_.exchange(state), .to = state, .opened = memory.opened};
}

Breaker::Change Breaker::open(Clock::TimePoint now, Memory& memory) {
  memory.failures.forget();
  memory.open_until = now + options_.pause;
  ++memory.opened;
  return become(BreakerState::open, memory);
}

// One at a time: while a trial is under way, others are refused.
Breaker::Admitted Breaker::admit_slowly(Clock::TimePoint now) {
  Memory& memory = this->memory();
  MutexLock lock(memory.mutex);
  switch (state_.load()) {
    case BreakerState::closed: return {};
    case BreakerState::half_open: return {.admission = Admission::refuse, .change = {}};
    case BreakerState::open: break;
  }
  if (now < memory.open_until) return {.admission = Admission::refuse, .change = {}};
  return {.admission = Admission::trial, .change = become(BreakerState::half_open, memory)};
}

// While it is not closed, nothing is counted: calls admitted before it opened may still be ended by limits.
std::optional<Breaker::Change> Breaker::limit_met(Clock::TimePoint now) {
  if (options_.limits_max == 0) return std::nullopt;
  Memory& memory = this->memory();
  MutexLock lock(memory.mutex);
  if (state_.load() != BreakerState::closed) return std::nullopt;
  if (!memory.failures.happened(now, options_.limits_max, options_.window)) return std::nullopt;
  return open(now, memory);
}

std::optional<Breaker::Change> Breaker::trial_ended(bool well, Clock::TimePoint now) {
  Memory& memory = this->memory();
  MutexLock lock(memory.mutex);
  if (state_.load() != BreakerState::half_open) return std::nullopt;
  if (!well) return open(now, memory);
  return become(BreakerState::closed, memory);
}

std::optional<Breaker::Change> Breaker::reset() {
  if (!has_memory_.load(std::memory_order_acquire)) return std::nullopt;
  MutexLock lock(memory_->mutex);
  memory_->failures.forget();
  if (state_.load() == BreakerState::closed) return std::nullopt;
  return become(BreakerState::closed, *memory_);
}

std::uint64_t Breaker::opened() const {
  if (!has_memory_.load(std::memory_order_acquire)) return 0;
  MutexLock lock(memory_->mutex);
  return memory_->opened;
}

}  // namespace petri
