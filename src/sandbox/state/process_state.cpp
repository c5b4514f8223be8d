#include "sandbox/state/process_state.h"

#include <utility>

#include "engine/instance/linked_code.h"

namespace petri {

Result<ProcessState> ProcessState::of(const ModuleCode& code, Instance& instance, std::uint64_t state_bytes_max) {
  ProcessState all(state_bytes_max);
  PETRI_TRY(DescribedState own, DescribedState::of(code.module(), instance, state_bytes_max));
  all.members_.push_back({.prefix = "", .state = std::move(own)});
  LinkedInstance* const group = instance.linked();
  if (group == nullptr) return all;
  // The last member is the module of the process itself.
  for (std::size_t index = 0; index + 1 < group->members().size(); ++index) {
    const LinkedMember& member = group->members()[index];
    if (!describes_state(loadable(*member.artifact))) continue;
    PETRI_TRY(DescribedState state,
              DescribedState::of(loadable(*member.artifact), group->member(index), state_bytes_max));
    all.members_.push_back({.prefix = member.name + ".", .state = std::move(state)});
  }
  return all;
}

Result<StateDocument> ProcessState::capture() {
  if (members_.size() == 1) return members_.front().state.capture();
  std::vector<StateEntry> entries;
  for (Member& member : members_) {
    PETRI_TRY(const StateDocument document, member.state.capture());
    for (StateEntry& entry : document.entries()) {
      entry.field.name.insert(0, member.prefix);
      entries.push_back(std::move(entry));
    }
  }
  return StateDocument::create(entries, state_bytes_max_);
}

// The fields of one of them, under the names it gives them.
Result<StateDocument> ProcessState::part_of(const StateDocument& document, Member& member) {
  PETRI_TRY(StateDocument part, member.state.capture());
  for (const StateField& field : part.schema().fields()) {
    const bool whole = field.type == StateType::bytes || field.type == StateType::text;
    for (std::uint32_t index = 0; index < (whole ? 1 : field.count); ++index) {
      PETRI_TRY(const StateValue value, document.get(member.prefix + field.name, index));
      PETRI_TRY(part.set(field.name, value, index));
    }
  }
  return part;
}

// Every part is made before the first is written: a value that does not fit must leave all modules as they were.
Result<void> ProcessState::restore(const StateDocument& document) {
  if (members_.size() == 1) return members_.front().state.restore(document);
  std::vector<StateDocument> parts;
  for (Member& member : members_) {
    PETRI_TRY(parts.emplace_back(), part_of(document, member));
  }
  for (std::size_t index = 0; index < members_.size(); ++index) {
    PETRI_TRY(members_[index].state.restore(parts[index]));
  }
  return {};
}

}  // namespace petri
