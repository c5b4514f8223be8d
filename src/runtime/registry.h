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

// Sandboxes by id, and in the order in which they were created. Keeps them alive until they are removed. Any thread;
// the lock is held for a look-up only, and no code of a sandbox runs under it but status().
class Registry {
 public:
  // Adds the sandbox and returns nullptr; a stopped or failed one with the same id is returned in `replaced`. If a live
  // one has the id, returns that and adds nothing.
  CorePtr add(CorePtr core, CorePtr& replaced) EXCLUDES(mutex_);
  // nullptr when no sandbox has the id.
  CorePtr find(std::string_view id) const EXCLUDES(mutex_);
  // Removes this very sandbox: its id may belong to another by now, which stays.
  void remove(const SandboxCore& core) EXCLUDES(mutex_);
  std::vector<CorePtr> all() const EXCLUDES(mutex_);
  // At most `limit` sandboxes from the place `offset` on; `total` receives how many there are. Takes time for the page,
  // not for the rest.
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
