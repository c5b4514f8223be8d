// The sandboxes of a runtime, by id and by age.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ext/pb_ds/assoc_container.hpp>
#include <ext/pb_ds/tree_policy.hpp>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "sandbox/sandbox_core.h"

namespace petri {

using CorePtr = std::shared_ptr<SandboxCore>;

inline bool is_dead(SandboxStatus status) {
  return status == SandboxStatus::stopped || status == SandboxStatus::failed;
}

// The standard map cannot find its n-th entry without walking there.
template <typename Key, typename Mapped>
using RankedMap =
    __gnu_pbds::tree<Key, Mapped, std::less<>, __gnu_pbds::rb_tree_tag, __gnu_pbds::tree_order_statistics_node_update>;

// Sandboxes by id, and in the order in which they were made. Any thread; its lock is held for a look-up, and a core may
// be asked for its status meanwhile.
class Registry {
 public:
  // The one that has the id already, unless it is dead; else this one has it now, and a dead one was replaced.
  CorePtr add(CorePtr core, CorePtr& replaced) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = by_id_.find(core->id());
    if (found != by_id_.end()) {
      if (!is_dead(found->second.core->status())) return found->second.core;
      replaced = found->second.core;
      by_order_.erase(found->second.order);
      by_id_.erase(found);
    }
    const std::uint64_t order = ++last_order_;
    by_order_.insert({order, core});
    const std::string_view id = core->id();
    by_id_.emplace(id, Row{std::move(core), order});
    return nullptr;
  }
  CorePtr find(std::string_view id) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : found->second.core;
  }
  // Only this very one: its id may belong to another by now.
  void remove(const SandboxCore& core) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = by_id_.find(core.id());
    if (found == by_id_.end() || found->second.core.get() != &core) return;
    by_order_.erase(found->second.order);
    by_id_.erase(found);
  }
  std::vector<CorePtr> all() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::vector<CorePtr> cores;
    cores.reserve(by_order_.size());
    for (const auto& [order, core] : by_order_) cores.push_back(core);
    return cores;
  }
  // Without a condition a page is found without looking at the rest.
  std::vector<CorePtr> page(std::size_t offset, std::size_t limit, std::size_t& total) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    total = by_order_.size();
    std::vector<CorePtr> cores;
    for (auto next = by_order_.find_by_order(offset); next != by_order_.end() && cores.size() < limit; ++next)
      cores.push_back(next->second);
    return cores;
  }
  std::size_t size() const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return by_order_.size();
  }

 private:
  struct Row {
    CorePtr core;
    std::uint64_t order;
  };
  mutable Mutex mutex_;
  std::map<std::string_view, Row> by_id_ GUARDED_BY(mutex_);  // the texts are those of the cores
  RankedMap<std::uint64_t, CorePtr> by_order_ GUARDED_BY(mutex_);
  std::uint64_t last_order_ GUARDED_BY(mutex_) = 0;
};

}  // namespace petri
