#include "sandbox/switch/described_state.h"

#include <algorithm>

namespace petri {
namespace {

constexpr std::string_view kTable = "petri_state";
constexpr std::string_view kFieldPrefix = "state.";

bool is_field(const ExportView& view) {
  return view.kind == ExternKind::global && view.global_mutable && view.name.starts_with(kFieldPrefix);
}

bool is_number(ValueType type) { return type != ValueType::funcref && type != ValueType::externref; }

bool is_table(const ExportView& view) { return view.kind == ExternKind::global && view.name == kTable; }

}  // namespace

bool describes_state(const LoadableArtifact& module) {
  for (std::uint32_t number = 0; number < module.facts().exports; ++number) {
    const ExportView view = module.export_at(number);
    if (is_field(view) || is_table(view)) return true;
  }
  return false;
}

Result<DescribedState> DescribedState::of(const LoadableArtifact& module, Instance& instance,
                                          std::uint64_t state_bytes_max) {
  std::optional<std::uint32_t> table;
  std::vector<StateGlobal> globals;
  std::vector<std::uint32_t> indexes;
  for (std::uint32_t number = 0; number < module.facts().exports; ++number) {
    const ExportView view = module.export_at(number);
    if (!is_field(view) && !is_table(view)) continue;
    // A reference has no value to show; StateLayout refuses it by its type.
    std::uint64_t slot = 0;
    if (is_number(view.global_type)) {
      PETRI_TRY(slot, instance.global(view.index));
    }
    if (is_table(view)) {
      table = static_cast<std::uint32_t>(slot);
    } else {
      globals.push_back(
          {.name = std::string(view.name), .value = Value::from_bits(view.global_type, slot), .index = view.index});
      indexes.push_back(view.index);
    }
  }
  PETRI_TRY(StateLayout layout,
            StateLayout::read({.memory = instance.memory(), .table = table, .globals = globals}, state_bytes_max));
  return DescribedState(instance, std::move(layout), std::move(globals), std::move(indexes));
}

Result<void> DescribedState::restore(const StateDocument& document) {
  PETRI_TRY(layout_.restore(document, instance_->memory(), globals_));
  for (std::size_t index = 0; index < globals_.size(); ++index) {
    PETRI_TRY(instance_->set_global(indexes_[index], globals_[index].value.bits()));
  }
  return {};
}

// Not of a live process: its table may have been overwritten, and the schema is that of the code.
Result<std::shared_ptr<const StateSchema>> schema_of(const ModuleCode& code, const SandboxLimits& limits) {
  PETRI_TRY(const Instantiated made, code.best()->instantiate({}, limits.memory_bytes_max));
  if (made.instance == nullptr) return std::make_shared<const StateSchema>();
  PETRI_TRY(const DescribedState state, DescribedState::of(code.module(), *made.instance, limits.state_bytes_max));
  return state.schema();
}

}  // namespace petri
