// The sandboxes of a runtime.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "runtime/in_order.h"

namespace petri {

class SandboxCore;
using CorePtr = std::shared_ptr<SandboxCore>;

// Sandboxes by id, and in the order in which they were created. Keeps them alive until they are removed. Any thread;
// the lock is held for a look-up only, and of a sandbox nothing is asked under it but status() and unused_since(),
// whose locks come after it.
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

  // ---- for collections, which look at a few at a time

  struct Numbered {
    std::uint64_t number = 0;  // grows from one to the next
    CorePtr core;
  };
  // At most `limit` sandboxes, those that came after this number.
  std::vector<Numbered> after(std::uint64_t number, std::size_t limit) const EXCLUDES(mutex_);
  // Removes a sandbox that nobody else has: besides the registry, only the caller's own reference is there. Returns
  // false, and leaves it, if somebody does: nobody comes to it any more once it is removed.
  bool remove_unused(const CorePtr& core) EXCLUDES(mutex_);
  // Puts right what a fault has left: a row whose sandbox was destroyed goes, and one that only one of both indexes
  // has is in both again. Returns how many.
  std::size_t reconcile() EXCLUDES(mutex_);

  // ---- for populations

  std::optional<Numbered> member(std::string_view id) const EXCLUDES(mutex_);
  // All, in the order in which they were created.
  std::vector<Numbered> members() const EXCLUDES(mutex_);

  // ---- for tests: faults

  void lose_id(std::string_view id) EXCLUDES(mutex_);
  void lose_place(std::string_view id) EXCLUDES(mutex_);

 private:
  std::size_t put_right(const Numbered& one) EXCLUDES(mutex_);
  std::vector<std::string> ids_after(const std::string& id, std::size_t limit) const EXCLUDES(mutex_);
  std::size_t put_in_order(const std::string& id) EXCLUDES(mutex_);

  struct Row {
    CorePtr core;
    InOrder<CorePtr>::Number order;
  };
  mutable Mutex mutex_;
  std::map<std::string_view, Row> by_id_ GUARDED_BY(mutex_);  // the texts are those of the cores
  mutable InOrder<CorePtr> by_order_ GUARDED_BY(mutex_);      // closes its gaps when it is looked at
};

}  // namespace petri
