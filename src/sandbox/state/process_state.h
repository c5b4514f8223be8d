// The state of a process, with that of the modules it is linked with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "process/instance/module_code.h"
#include "sandbox/switch/described_state.h"

namespace petri {

// Its own fields have the names the module gives them; those of a module it is linked with stand under that module's
// name: "tariff.asked". The instance is quiescent for as long as this is used.
class ProcessState {
 public:
  // As DescribedState::of; a linked module that describes no state has no fields.
  static Result<ProcessState> of(const ModuleCode& code, Instance& instance, std::uint64_t state_bytes_max);

  Result<StateDocument> capture();
  // All of it or nothing.
  Result<void> restore(const StateDocument& document);

 private:
  struct Member {
    std::string prefix;
    DescribedState state;
  };
  explicit ProcessState(std::uint64_t state_bytes_max) : state_bytes_max_(state_bytes_max) {}
  static Result<StateDocument> part_of(const StateDocument& document, Member& member);

  std::uint64_t state_bytes_max_;
  std::vector<Member> members_;
};

}  // namespace petri
