#include "runtime/registry.h"

#include <utility>

#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

bool is_dead(SandboxStatus status) { return status == SandboxStatus::stopped || status == SandboxStatus::failed; }

}  // namespace

CorePtr Registry::add(CorePtr core, CorePtr& replaced) {
  MutexLock lock(mutex_);
  const auto found = by_id_.find(core->id());
  if (found != by_id_.end()) {
    if (!is_dead(found->second.core->status())) return found->second.core;
    replaced = found->second.core;
    by_order_.remove(found->second.order);
    by_id_.erase(found);
  }
  const std::string_view id = core->id();
  const auto order = by_order_.add(core);
  by_id_.emplace(id, Row{std::move(core), order});
  return nullptr;
}

CorePtr Registry::find(std::string_view id) const {
  MutexLock lock(mutex_);
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : found->second.core;
}

void Registry::remove(const SandboxCore& core) {
  MutexLock lock(mutex_);
  const auto found = by_id_.find(core.id());
  if (found == by_id_.end() || found->second.core.get() != &core) return;
  by_order_.remove(found->second.order);
  by_id_.erase(found);
}

std::vector<CorePtr> Registry::all() const {
  MutexLock lock(mutex_);
  return by_order_.all();
}

std::vector<CorePtr> Registry::page(std::size_t offset, std::size_t limit, std::size_t& total) const {
  MutexLock lock(mutex_);
  total = by_order_.size();
  return by_order_.page(offset, limit);
}

std::size_t Registry::size() const {
  MutexLock lock(mutex_);
  return by_order_.size();
}

}  // namespace petri
