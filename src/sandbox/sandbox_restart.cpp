// A restart after which processes go on with what they knew.
#include <fmt/format.h>

#include <algorithm>

#include "sandbox/reload.h"
#include "sandbox/sandbox_core.h"
#include "sandbox/state_way.h"

namespace petri {

Result<void> SandboxCore::restart_with_state() {
  if (auto running = must_run(); !running) {
    Error& error = running.error();
    if (error.code == ErrorCode::rejected) {
      const std::string_view cause = error.detail("cause");
      error.message = fmt::format("the sandbox {} is {}{}{}; it has no state that could be kept", id(),
                                  error.detail("status"), cause.empty() ? "" : ": ", cause);
    }
    return running;
  }
  PETRI_TRY(const Claim claimed, claim(modules_.names()));
  std::optional<DeterministicQueue::Hold> hold(std::in_place, queue_.get());
  take_control();
  const MutexLock control(control_, std::adopt_lock);
  const std::stop_token stop = ending();
  auto data = keep_for_restart();
  if (!data && stop.stop_requested()) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  if (!data) return fail(std::move(data.error()));
  hold.reset();
  const SnapshotOrigin origin{.data = **data};
  return start_again(&origin);
}

// All that can fail happens beside what runs. Afterwards nobody takes another message: what it did would be forgotten.
Result<std::shared_ptr<const SnapshotData>> SandboxCore::keep_for_restart() {
  PETRI_TRY(must_run());
  ModuleChanges changes = rest_of(modules_.names());
  std::vector<Result<std::unique_ptr<ModuleSwitch>>> switches;  // only those of modules that live must be there
  for (const ModuleChange& change : changes) switches.push_back(switch_to_itself(change.name));
  const Clock::TimePoint deadline = Reload::deadline_of(reload_policy());
  const std::stop_token stop = ending();
  const std::stop_callback on_stop(stop, [&switches] {
    for (const auto& one : switches) {
      if (one) (*one)->abandon();
    }
  });
  Quiescence quiescence(reload_parts(), deadline, stop);
  PETRI_TRY(quiescence.reach(changes));
  auto data = begin_snapshot();
  for (const Quiescence::Taken& one : quiescence.taken()) {
    const auto& change = switches[one.change];
    if (!change) return fail(change.error());
    PETRI_TRY(SavedProcess saved, carried_over(**change, *one.process, deadline));
    data->processes.push_back(std::move(saved));
  }
  std::ranges::sort(data->processes, {}, &SavedProcess::address);
  for (const Quiescence::Taken& one : quiescence.taken()) one.process->freeze();
  return data;
}

// As a reload would: another instance of the same code is created, and given what the process knows.
Result<SavedProcess> SandboxCore::carried_over(ModuleSwitch& change, Process& process, Clock::TimePoint deadline) {
  PETRI_TRY(change.prepare(process, deadline));
  PETRI_TRY(change.carry(process, deadline));
  const LiveInstance live = change.take_instance(process);
  PETRI_TRY(SavedProcess saved, save_process(process, live, change.terms().module));
  saved.random = process.live().context->random.state();
  return saved;
}

Result<std::unique_ptr<ModuleSwitch>> SandboxCore::switch_to_itself(const std::string& module) {
  SwitchTerms terms{.module = module, .policy = reload_policy(), .state_bytes_max = account_.limits()->state_bytes_max};
  terms.policy.migrate = {};
  PETRI_TRY(const ModuleTable::Active active, modules_.active(module));
  terms.from = terms.to = active.code;
  terms.from_number = terms.to_number = active.number;
  const StateWay asked = terms.policy.state == StateWay::none ? StateWay::best : terms.policy.state;
  PETRI_TRY(terms.way, choose_way(asked, module, *terms.from, *terms.to));
  return std::make_unique<ModuleSwitch>(std::move(terms));
}

}  // namespace petri
