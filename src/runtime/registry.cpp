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

std::optional<Registry::Numbered> Registry::member(std::string_view id) const {
  MutexLock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end()) return std::nullopt;
  return Numbered{.number = found->second.order, .core = found->second.core};
}

std::vector<Registry::Numbered> Registry::members() const {
  std::vector<Numbered> all;
  MutexLock lock(mutex_);
  all.reserve(by_order_.size());
  by_order_.for_each([&](InOrder<CorePtr>::Number number, const CorePtr& core) { all.push_back({number, core}); });
  return all;
}

std::size_t Registry::size() const {
  MutexLock lock(mutex_);
  return by_order_.size();
}

std::vector<Registry::Numbered> Registry::after(std::uint64_t number, std::size_t limit) const {
  std::vector<Numbered> some;
  MutexLock lock(mutex_);
  by_order_.visit_after(number, limit, [&](std::uint64_t at, const CorePtr& core) { some.push_back({at, core}); });
  return some;
}

bool Registry::remove_unused(const CorePtr& core) {
  constexpr long kOfBothIndexes = 2, kOfTheCaller = 1;
  MutexLock lock(mutex_);
  const auto found = by_id_.find(core->id());
  if (found == by_id_.end() || found->second.core != core) return false;
  if (core.use_count() > kOfBothIndexes + kOfTheCaller || !core->unused_since()) return false;
  by_order_.remove(found->second.order);
  by_id_.erase(found);
  return true;
}

std::size_t Registry::reconcile() {
  constexpr std::size_t kAtOnce = 256;
  std::size_t rows = 0;
  std::uint64_t last = 0;
  for (auto some = after(0, kAtOnce); !some.empty(); some = after(last, kAtOnce)) {
    last = some.back().number;
    for (const Numbered& one : some) rows += put_right(one);
  }
  std::string last_id;
  for (auto some = ids_after({}, kAtOnce); !some.empty(); some = ids_after(last_id, kAtOnce)) {
    last_id = some.back();
    for (const std::string& id : some) rows += put_in_order(id);
  }
  return rows;
}

// If two sandboxes have one id, the one that can be found by it stays.
std::size_t Registry::put_right(const Numbered& one) {
  const bool gone = one.core->was_destroyed();
  MutexLock lock(mutex_);
  if (!by_order_.contains(one.number)) return 0;  // removed meanwhile
  const auto found = by_id_.find(one.core->id());
  const bool is_found = found != by_id_.end() && found->second.core == one.core;
  if (!gone && is_found) return 0;
  if (gone || found != by_id_.end()) {
    by_order_.remove(one.number);
    if (is_found) by_id_.erase(found);
  } else {
    by_id_.emplace(one.core->id(), Row{one.core, one.number});
  }
  return 1;
}

std::vector<std::string> Registry::ids_after(const std::string& id, std::size_t limit) const {
  std::vector<std::string> ids;
  MutexLock lock(mutex_);
  for (auto row = by_id_.upper_bound(id); row != by_id_.end() && ids.size() < limit; ++row)
    ids.emplace_back(row->first);
  return ids;
}

std::size_t Registry::put_in_order(const std::string& id) {
  MutexLock lock(mutex_);
  const auto found = by_id_.find(id);
  if (found == by_id_.end() || by_order_.contains(found->second.order)) return 0;
  if (found->second.core->was_destroyed()) {
    by_id_.erase(found);
  } else {
    found->second.order = by_order_.add(found->second.core);
  }
  return 1;
}

void Registry::lose_id(std::string_view id) {
  MutexLock lock(mutex_);
  by_id_.erase(by_id_.find(id));
}

void Registry::lose_place(std::string_view id) {
  MutexLock lock(mutex_);
  by_order_.remove(by_id_.find(id)->second.order);
}

}  // namespace petri
