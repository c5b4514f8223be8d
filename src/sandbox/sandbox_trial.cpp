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
  if (!crashed) return false;
  begin_decision();  // before anybody can see the crash
  const auto crash = modules_.add_crash(trial, {process.shared_from_this(), how}, services_.clock.now());
  if (crash != ModuleTable::CrashIs::first) end_decision();
  if (crash == ModuleTable::CrashIs::nothing) return false;
  if (crash == ModuleTable::CrashIs::first) {
    then = [core = shared_from_this(), module = trial.module()] {
      if (core->lane_ != nullptr) return core->undo_switch(module);
      core->services_.workers.submit(
          [core, module] {
            const Workers::Pause pause(core->services_.workers);  // start functions and hooks run there without turns
            core->undo_switch(module);
          },
          core->client());
    };
  }
  report_exited(process, how);
  return true;
}

ModuleChange* SandboxCore::part_of(ModuleChanges& parts, const Process& process) const {
  for (ModuleChange& part : parts) {
    const auto own = processes_of(part.name);
    if (std::ranges::any_of(own, [&](const ProcessPtr& one) { return one.get() == &process; })) return &part;
  }
  return nullptr;
}

void SandboxCore::keep_timers(const ModuleChange& part, const Process& process) {
  const auto& keep = part.change->terms().keep;
  if (keep != nullptr) keep->keep_timers(process.name(), guest_timers_.pending(process));
}

void SandboxCore::bring_back_timers(const ModuleChange& part, Process& process) {
  const SwitchSnapshot* from = part.change->terms().back_to.get();
  const auto* timers = from == nullptr ? nullptr : from->timers_of(process.name());
  if (timers != nullptr) guest_timers_.bring_back(process, *timers);
}

void SandboxCore::revive(ModuleChanges& parts, const Crash& crash, Clock::TimePoint deadline) {
  Process& process = *crash.process;
  if (ModuleChange* const part = part_of(parts, process)) {
    auto lives = part->change->prepare(process, deadline);
    if (lives) lives = part->change->carry(process, deadline);
    if (lives) lives = process.revive(part->change->take_life(process), [&] { bring_back_timers(*part, process); });
    if (lives) part->switched.push_back({.process = process.name(), .tier = process.tier()});
  }
  process.bury(crash.how);  // unless it lives again
}

void SandboxCore::undo_switch(const std::string& module) {
  if (!try_undo(module)) {
    for (const Crash& crash : modules_.take_crashes(module)) crash.process->bury(crash.how);
  }
  end_decision();
}

// The versions that the module, and all that was switched with it, had before; `options` learns why.
Result<ModuleChanges> SandboxCore::parts_to_undo(const std::string& module, SwitchOptions& options) {
  const auto how = modules_.first_crash(module);
  if (!how) return fail(ErrorCode::not_found, "nobody crashed");
  options.news.reason = *how ? std::string(name_of((*how)->kind)) : how->error().message;
  if (*how && (*how)->trap) options.news.trap = name_of(*(*how)->trap);
  PETRI_TRY(const SwitchSnapshots snapshots, modules_.last_switch_of(module));
  return parts_back_to(snapshots);
}

Result<ModuleChanges> SandboxCore::parts_back_to(const SwitchSnapshots& snapshots) {
  ModuleChanges parts;
  for (const auto& [name, snapshot] : snapshots) {
    PETRI_TRY(ModuleChange kept, modules_.change_to_kept(name, snapshot->from(), {}));
    kept.back_to = snapshot;
    parts.push_back(std::move(kept));
  }
  return parts;
}

Result<void> SandboxCore::try_undo(const std::string& module) {
  const Operation operation(operation_);
  PETRI_TRY(Claim claimed, claim_now(companions_of(module)));
  SwitchOptions options = switch_options(std::nullopt, SwitchCause::trial, "petri");
  options.policy.drop_exports = true;
  options.policy.rolling = false;
  options.revives = module;
  PETRI_TRY(ModuleChanges parts, parts_to_undo(module, options));
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
