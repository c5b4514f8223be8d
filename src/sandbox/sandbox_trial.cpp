// New code that crashes too soon is taken back, with the state of before.
#include <algorithm>

#include "sandbox/sandbox_core.h"
#include "supervisor/exit_reason.h"

namespace petri {

// The first one sets it off; those that crash until it is done are revived with it. In a lane it is done at once, and
// here: nothing else may happen in between.
bool SandboxCore::takes_back(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                             std::function<void()>& then) {
  const bool crashed = !how || (exit_reason_of(*how) == ExitReason::abnormal && how->kind != OutcomeKind::cancelled);
  if (!crashed || !add_crashed(process, trial, how, then)) return false;
  tell_exited(process, how);
  return true;
}

bool SandboxCore::add_crashed(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                              std::function<void()>& then) {
  MutexLock lock(mutex_);
  const auto found = modules_.find(trial.module());
  ModulePast* past = found == modules_.end() ? nullptr : found->second.past.get();
  if (past == nullptr || past->trial.get() != &trial || past->snapshot == nullptr) return false;
  if (!past->undoing && !trial.goes_on_at(services_.clock.now())) return false;
  past->crashed.push_back({process.shared_from_this(), how});
  if (std::exchange(past->undoing, true)) return true;
  ++decisions_;
  then = [core = shared_from_this(), module = trial.module()] {
    if (core->lane_ != nullptr) return core->undo_switch(module);
    core->services_.workers.submit(
        [core, module] {
          const Workers::Pause pause(core->services_.workers);  // start functions and hooks run there without turns
          core->undo_switch(module);
        },
        core->client());
  };
  return true;
}

std::vector<SandboxCore::Crash> SandboxCore::take_crashed(const std::string& module) {
  MutexLock lock(mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end() || found->second.past == nullptr) return {};
  found->second.past->undoing = false;
  return std::exchange(found->second.past->crashed, {});
}

SandboxCore::Part* SandboxCore::part_of(std::vector<Part>& parts, const Process& process) const {
  for (Part& part : parts) {
    const auto own = processes_of(part.name);
    if (std::ranges::any_of(own, [&](const ProcessPtr& one) { return one.get() == &process; })) return &part;
  }
  return nullptr;
}

void SandboxCore::keep_timers(const Part& part, const Process& process) {
  const auto& keep = part.change->terms().keep;
  if (keep != nullptr) keep->keep_timers(process.name(), guest_timers_.pending(process));
}

void SandboxCore::bring_back_timers(const Part& part, Process& process) {
  const SwitchSnapshot* from = part.change->terms().back_to.get();
  const auto* timers = from == nullptr ? nullptr : from->timers_of(process.name());
  if (timers != nullptr) guest_timers_.bring_back(process, *timers);
}

void SandboxCore::revive(std::vector<Part>& parts, const Crash& crash, Clock::TimePoint deadline) {
  Process& process = *crash.process;
  if (Part* const part = part_of(parts, process)) {
    auto lives = part->change->prepare(process, deadline);
    if (lives) lives = part->change->carry(process, deadline);
    if (lives) lives = process.revive(part->change->take_life(process), [&] { bring_back_timers(*part, process); });
    if (lives) part->switched.push_back({.process = process.name(), .tier = process.tier()});
  }
  process.bury(crash.how);  // unless it lives again
}

void SandboxCore::undo_switch(const std::string& module) {
  if (!try_undo(module)) {
    for (const Crash& crash : take_crashed(module)) crash.process->bury(crash.how);
  }
  end_decision();
}

// The versions that the module, and all that was switched with it, had before; `options` learns why.
Result<std::vector<SandboxCore::Part>> SandboxCore::parts_to_undo(const std::string& module, SwitchOptions& options) {
  SwitchSnapshots snapshots;
  {
    MutexLock lock(mutex_);
    PETRI_TRY(Module * found, find_module(module));
    if (found->past == nullptr || found->past->crashed.empty()) return fail(ErrorCode::not_found, "nobody crashed");
    const Result<Outcome>& how = found->past->crashed.front().how;
    options.reason = how ? std::string(name_of(how->kind)) : how.error().message;
    if (how && how->trap) options.trap = name_of(*how->trap);
    PETRI_TRY(snapshots, last_switch_led_by(module));
  }
  return parts_back_to(snapshots);
}

Result<SandboxCore::SwitchSnapshots> SandboxCore::last_switch_led_by(const std::string& lead) {
  PETRI_TRY(const Module* found, find_module(lead));
  if (found->past == nullptr) return fail(ErrorCode::not_found, "it was never switched");
  SwitchSnapshots snapshots = found->past->companions;
  snapshots[lead] = found->past->snapshot;
  for (const auto& [name, snapshot] : snapshots) {
    PETRI_TRY(const Module* one, find_module(name));
    const bool current =
        snapshot != nullptr && one->past->snapshot == snapshot && snapshot->to() == one->past->versions.active().number;
    if (!current) return fail(ErrorCode::not_found, "somebody has switched it meanwhile");
  }
  return snapshots;
}

Result<SandboxCore::SwitchSnapshots> SandboxCore::last_switch_of(const std::string& module) {
  PETRI_TRY(const Module* found, find_module(module));
  const bool led = found->past != nullptr && found->past->trial != nullptr;
  return last_switch_led_by(led ? found->past->trial->module() : module);
}

Result<std::vector<SandboxCore::Part>> SandboxCore::parts_back_to(const SwitchSnapshots& snapshots) {
  std::vector<Part> parts;
  for (const auto& [name, snapshot] : snapshots) {
    PETRI_TRY(Part kept, kept_part(name, snapshot->from(), {}));
    kept.back_to = snapshot;
    parts.push_back(std::move(kept));
  }
  return parts;
}

Result<void> SandboxCore::try_undo(const std::string& module) {
  const Operation operation(operation_);
  std::vector<std::string> names{module};
  {
    MutexLock lock(mutex_);
    PETRI_TRY(const Module* found, find_module(module));
    if (found->past != nullptr) {
      for (const auto& [name, snapshot] : found->past->companions) names.push_back(name);
    }
  }
  PETRI_TRY(Claim claimed, claim_now(std::move(names)));
  SwitchOptions options = switch_options(std::nullopt, SwitchCause::trial, "petri");
  options.policy.drop_exports = true;
  options.policy.rolling = false;
  options.revives = module;
  PETRI_TRY(std::vector<Part> parts, parts_to_undo(module, options));
  PETRI_TRY(plan_parts(parts, options));
  // A structural change that is under way may wait for what runs on this very thread, in a lane.
  if (lane_ == nullptr) {
    take_control();
  } else if (!control_.try_lock()) {
    return fail(ErrorCode::busy, "the sandbox is being changed");
  }
  const MutexLock control(control_, std::adopt_lock);
  PETRI_TRY(must_run());
  PETRI_TRY(switch_parts(std::move(parts), options, claimed));
  return {};
}

}  // namespace petri
