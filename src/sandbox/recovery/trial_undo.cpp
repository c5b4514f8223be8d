#include "sandbox/recovery/trial_undo.h"

#include "sandbox/reload/way_back.h"
#include "supervisor/exit_reason.h"

namespace petri {

// In a deterministic queue it is done at once, on the thread of the crash: nothing else may happen in between.
bool TrialUndo::start(Process& process, const TrialPeriod& trial, const Result<Outcome>& how,
                      std::function<void()>& then) const {
  const bool crashed = !how || (exit_reason_of(*how) == ExitReason::abnormal && how->kind != OutcomeKind::cancelled);
  if (!crashed) return false;
  ProcessOwner& owner = parts_.reload.owner;
  decisions_.start();  // before anybody can see the crash
  const auto crash =
      parts_.reload.modules.add_crash(trial, {process.shared_from_this(), how}, parts_.reload.owner.clock().now());
  if (crash != ModuleTable::CrashIs::first) decisions_.end();
  if (crash != ModuleTable::CrashIs::first) return crash == ModuleTable::CrashIs::another;
  then = [task = *this, &owner, module = trial.module(), kept = owner.keep_alive()] {
    if (owner.deterministic_queue() != nullptr) return task.undo(module);
    owner.workers().submit(
        [task, &owner, module, kept] {
          const Workers::Pause pause(owner.workers());  // start functions and hooks run there without turns
          task.undo(module);
        },
        owner.client());
  };
  return true;
}

void TrialUndo::undo(const std::string& module) const {
  if (!try_undo(module)) {
    for (const Crash& crash : parts_.reload.modules.take_crashes(module)) crash.process->report_exit(crash.how);
  }
  decisions_.end();
}

Result<void> TrialUndo::try_undo(const std::string& module) const {
  const Operation operation(parts_.operation);
  ModuleTable& modules = parts_.reload.modules;
  PETRI_TRY(Claim claimed, Claim::take(parts_.standing, modules, switched_together(modules, module)));
  const auto how = modules.first_crash(module);
  if (!how) return fail(ErrorCode::not_found, "nobody crashed");
  PETRI_TRY(const SwitchSnapshots snapshots, modules.last_switch_of(module));
  PETRI_TRY(ModuleChanges changes, changes_back_to(modules, snapshots));
  ReloadTerms terms{.policy = parts_.policy, .news = {.cause = SwitchCause::trial, .actor = "petri"}};
  terms.policy.drop_exports = true;
  terms.policy.rolling = false;
  terms.revives = module;
  terms.news.reason = *how ? std::string(name_of((*how)->kind)) : how->error().message;
  if (*how && (*how)->trap) terms.news.trap = name_of(*(*how)->trap);
  Reload reload(parts_.reload, std::move(terms), std::move(changes));
  PETRI_TRY(reload.plan());
  // A structural change that is under way may wait for what runs on this very thread, in a deterministic queue.
  const bool may_wait = parts_.reload.owner.deterministic_queue() == nullptr;
  const auto turn = may_wait ? std::optional(parts_.control.take()) : parts_.control.try_take();
  if (!turn) return fail(ErrorCode::busy, "the sandbox is being changed");
  PETRI_TRY(parts_.standing.must_run());
  PETRI_TRY(reload.run([&claimed] { claimed.release(); }));
  return {};
}

}  // namespace petri
