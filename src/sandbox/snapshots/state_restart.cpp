#include "sandbox/snapshots/state_restart.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "sandbox/switch/state_way.h"

namespace petri {

Result<void> StateRestart::must_have_state() const {
  auto running = parts_.standing.must_run();
  if (running || running.error().code != ErrorCode::rejected) return running;
  Error& error = running.error();
  const std::string_view cause = error.detail("cause");
  error.message = fmt::format("the sandbox {} is {}{}{}; it has no state that could be kept", parts_.sandbox,
                              error.detail("status"), cause.empty() ? "" : ": ", cause);
  return running;
}

Result<std::shared_ptr<const SnapshotData>> StateRestart::keep(const StructuralControl::Turn&) const {
  const std::stop_token stop = parts_.control.ending();
  auto kept = try_keep(stop);
  if (!kept && stop.stop_requested()) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  return kept;
}

Result<std::shared_ptr<const SnapshotData>> StateRestart::try_keep(const std::stop_token& stop) const {
  PETRI_TRY(parts_.standing.must_run());
  const std::vector<Quiescence::Target> all = Quiescence::all_of(parts_.reload.modules.names());
  std::vector<Result<std::unique_ptr<ModuleSwitch>>> switches;  // only those of modules that live must be there
  for (const Quiescence::Target& target : all) switches.push_back(switch_to_itself(target.module));
  const Clock::TimePoint deadline = Reload::deadline_of(parts_.policy);
  const std::stop_callback on_stop(stop, [&switches] {
    for (const auto& one : switches) {
      if (one) (*one)->abandon();
    }
  });
  Quiescence quiescence(parts_.reload, deadline, stop);
  PETRI_TRY(quiescence.reach(all));
  auto data = snapshots_.without_processes();
  for (const auto& [process, target] : quiescence.taken()) {
    const auto& to_itself = switches[target];
    if (!to_itself) return fail(to_itself.error());
    PETRI_TRY(SavedProcess saved, carry_over(**to_itself, *process, deadline));
    data->processes.push_back(std::move(saved));
  }
  // Nothing fails from here on. Frozen before they are given back, so that no message changes what was kept.
  std::ranges::sort(data->processes, {}, &SavedProcess::address);
  for (const auto& [process, target] : quiescence.taken()) process->freeze();
  return data;
}

// Another instance of the same code is created, and given what the process knows.
Result<SavedProcess> StateRestart::carry_over(ModuleSwitch& to_itself, Process& process,
                                              Clock::TimePoint deadline) const {
  PETRI_TRY(to_itself.prepare(process, deadline));
  PETRI_TRY(to_itself.carry(process, deadline));
  const LiveInstance live = to_itself.take_instance(process);
  PETRI_TRY(SavedProcess saved, snapshots_.save(process, live, to_itself.terms().module));
  saved.random = process.live().context->random.state();
  return saved;
}

Result<std::unique_ptr<ModuleSwitch>> StateRestart::switch_to_itself(const std::string& module) const {
  SwitchTerms terms{.module = module,
                    .policy = parts_.policy,
                    .state_bytes_max = parts_.reload.owner.account().limits()->state_bytes_max};
  // The code is the same, so no handler has anything to change.
  terms.policy.migrate = {};
  PETRI_TRY(const ModuleTable::Active active, parts_.reload.modules.active(module));
  terms.from = terms.to = active.code;
  terms.from_number = terms.to_number = active.number;
  const StateWay asked = terms.policy.state == StateWay::none ? StateWay::best : terms.policy.state;
  PETRI_TRY(terms.way, choose_way(asked, module, *terms.from, *terms.to));
  return std::make_unique<ModuleSwitch>(std::move(terms));
}

}  // namespace petri
