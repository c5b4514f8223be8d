// New code that crashes too soon is taken back, with the state of before.
#include "sandbox/reload.h"
#include "sandbox/sandbox_core.h"
#include "supervisor/exit_reason.h"

namespace petri {

// The first one sets it off; those that crash until it is done are revived with it. In a deterministic queue it is done
// at once, and here: nothing else may happen in between.
bool SandboxCore::begin_rollback(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                                 std::function<void()>& then) {
  const bool crashed = !how || (exit_reason_of(*how) == ExitReason::abnormal && how->kind != OutcomeKind::cancelled);
  if (!crashed) return false;
  begin_decision();  // before anybody can see the crash
  const auto crash = modules_.add_crash(trial, {process.shared_from_this(), how}, services_.clock.now());
  if (crash != ModuleTable::CrashIs::first) end_decision();
  if (crash == ModuleTable::CrashIs::nothing) return false;
  if (crash == ModuleTable::CrashIs::first) {
    then = [core = shared_from_this(), module = trial.module()] {
      if (core->queue_ != nullptr) return core->undo_switch(module);
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

void SandboxCore::undo_switch(const std::string& module) {
  if (!try_undo(module)) {
    for (const Crash& crash : modules_.take_crashes(module)) crash.process->report_exit(crash.how);
  }
  end_decision();
}

// The versions that modules had before they were switched together, with what their processes knew.
Result<ModuleChanges> SandboxCore::changes_back_to(const SwitchSnapshots& snapshots) const {
  ModuleChanges changes;
  for (const auto& [name, snapshot] : snapshots) {
    PETRI_TRY(ModuleChange back, modules_.change_to_kept(name, snapshot->from(), {}));
    back.back_to = snapshot;
    changes.push_back(std::move(back));
  }
  return changes;
}

Result<void> SandboxCore::try_undo(const std::string& module) {
  const Operation operation(operation_);
  PETRI_TRY(Claim claimed, claim_now(companions_of(module)));
  const auto how = modules_.first_crash(module);
  if (!how) return fail(ErrorCode::not_found, "nobody crashed");
  PETRI_TRY(const SwitchSnapshots snapshots, modules_.last_switch_of(module));
  PETRI_TRY(ModuleChanges changes, changes_back_to(snapshots));
  ReloadTerms terms = reload_terms(std::nullopt, SwitchCause::trial, "petri");
  terms.policy.drop_exports = true;
  terms.policy.rolling = false;
  terms.revives = module;
  terms.news.reason = *how ? std::string(name_of((*how)->kind)) : how->error().message;
  if (*how && (*how)->trap) terms.news.trap = name_of(*(*how)->trap);
  Reload reload(reload_parts(), std::move(terms), std::move(changes));
  PETRI_TRY(reload.plan());
  // A structural change that is under way may wait for what runs on this very thread, in a deterministic queue.
  if (queue_ == nullptr) {
    take_control();
  } else if (!control_.try_lock()) {
    return fail(ErrorCode::busy, "the sandbox is being changed");
  }
  const MutexLock control(control_, std::adopt_lock);
  PETRI_TRY(must_run());
  PETRI_TRY(reload.run([&claimed] { claimed.release(); }));
  return {};
}

}  // namespace petri
