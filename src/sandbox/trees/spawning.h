// Children that guests ask for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "process/account/memory_budget.h"
#include "process/process.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/trees/trees.h"
#include "sandbox/versions/module_table.h"
#include "supervisor/tree_json.h"

namespace petri {

// For one request, on the guest's own thread, which has entered its process and holds no lock. The guest waits for its
// answer as long as it may run; what it asks of a tree that waits for this very guest is refused as a deadlock.
class Spawning {
 public:
  struct Parts {
    const std::shared_ptr<TreeAccount>& account;
    MemoryBudget* budget;
    ProcessServices& services;
    const ModuleTable& modules;
    ProcessTable& processes;
    Trees& trees;
  };
  explicit Spawning(const Parts& parts) : parts_(parts) {}

  // As ProcessOwner has them: 0, or a GuestError.
  std::int32_t spawn(Process& by, HostCall& call, std::string_view spec) const;
  std::int32_t stop_child(Process& by, std::string_view name) const;

 private:
  // Where a guest's child goes, and what is asked there: the tree of its own, or a pool of the spec's tree.
  struct Plan {
    ProcessTable::Where where = ProcessTable::Where::dynamic;
    Trees::RunnerPtr tree;
    std::string supervisor;
    Request request;
  };
  // Reads the spec on the guest's account, checks the room before a name is reserved, and gives the name back where the
  // tree refuses the child.
  Result<void> start(Process& by, HostCall& call, std::string_view spec) const;
  Result<void> stop(Process& by, std::string_view name) const;
  Result<SpawnSpec> read(Process& by, HostCall& call, std::string_view spec) const;
  Result<void> must_have_room(Process& by) const;
  Result<Plan> plan(SpawnSpec spec) const;
  Result<void> ask_for_child(Process& by, Plan plan, const std::string& address) const;

  const Parts parts_;
};

// already_exists if the tree of the spec, or any process or child that a guest has spawned, has this name.
Result<void> must_be_free(const Trees& trees, const ProcessTable& processes, const std::string& address);

}  // namespace petri
