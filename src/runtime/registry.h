// The sandboxes of a runtime.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "runtime/in_order.h"

namespace petri {

class SandboxCore;
using CorePtr = std::shared_ptr<SandboxCore>;

// Sandboxes by id, and in the order in which they were made. Any thread; the lock is held for a look-up.
class Registry {
 public:
  // The one that has the id already, unless it is dead; else this one has it now, and a dead one was replaced.
  CorePtr add(CorePtr core, CorePtr& replaced) EXCLUDES(mutex_);
  CorePtr find(std::string_view id) const EXCLUDES(mutex_);
  // Only this very one: its id may belong to another by now.
  void remove(const SandboxCore& core) EXCLUDES(mutex_);
  std::vector<CorePtr> all() const EXCLUDES(mutex_);
  // Found without looking at the rest.
  std::vector<CorePtr> page(std::size_t offset, std::size_t limit, std::size_t& total) const EXCLUDES(mutex_);
  std::size_t size() const EXCLUDES(mutex_);

 private:
  struct Row {
    CorePtr core;
    InOrder<CorePtr>::Number order;
  };
  mutable Mutex mutex_;
  std::map<std::string_view, Row> by_id_ GUARDED_BY(mutex_);  // the texts are those of the cores
  mutable InOrder<CorePtr> by_order_ GUARDED_BY(mutex_);      // closes its gaps when it is looked at
};

}  // namespace petri
