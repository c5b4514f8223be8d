// The described state of a live instance, by the exports of its module.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/instance/instance.h"
#include "engine/loadable_artifact.h"
#include "petri/limits.h"
#include "petri/result.h"
#include "petri/state.h"
#include "process/instance/module_code.h"
#include "state/state_layout.h"

namespace petri {

// Returns whether it exports a table of its state, or globals called `state.`.
bool describes_state(const LoadableArtifact& module);

// The description of the state that a module's instances have; nullptr where it describes none. Makes an instance that
// does not run, for the table is constant: it takes as long as that.
Result<std::shared_ptr<const StateSchema>> schema_of(const ModuleCode& code, const SandboxLimits& limits);

// Where one instance keeps its fields; it is quiescent for as long as this is used.
class DescribedState {
 public:
  // state_incompatible with everything that is wrong with the description, limit_exceeded for too much state.
  static Result<DescribedState> of(const LoadableArtifact& module, Instance& instance, std::uint64_t state_bytes_max);

  const std::shared_ptr<const StateSchema>& schema() const { return layout_.shared_schema(); }
  Result<StateDocument> capture() { return layout_.capture(instance_->memory(), globals_); }
  Result<void> restore(const StateDocument& document);

 private:
  DescribedState(Instance& instance, StateLayout layout, std::vector<StateGlobal> globals,
                 std::vector<std::uint32_t> indexes)
      : instance_(&instance), layout_(std::move(layout)), globals_(std::move(globals)), indexes_(std::move(indexes)) {}

  Instance* instance_;
  StateLayout layout_;
  std::vector<StateGlobal> globals_;    // with their values,
  std::vector<std::uint32_t> indexes_;  // and where they are in the module
};

}  // namespace petri
