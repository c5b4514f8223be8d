// New code that crashes too soon is taken back, with the state of before.
#include "sandbox/sandbox_core.h"
#include "supervisor/exit_reason.h"

namespace petri {

// In a lane at once, and here: nothing else may happen in between.
bool SandboxCore::takes_back(Process& process, const TrialPeriod& trial, const Result<Outcome>& how) {
  const bool crashed = !how || (exit_reason_of(*how) == ExitReason::abnormal && how->kind != OutcomeKind::cancelled);
  if (!crashed) return false;
  const ProcessPtr self = process.shared_from_this();
  if (lane_ != nullptr) {
    undo_switch(self, trial.module(), how);
    return true;
  }
  services_.workers.submit(
      [core = shared_from_this(), self, module = trial.module(), how] { core->undo_switch(self, module, how); });
  return true;
}

// Where that cannot be done the crash is one like any other.
void SandboxCore::undo_switch(const ProcessPtr& crashed, const std::string& module, const Result<Outcome>& how) {
  if (!try_undo(crashed, module, how)) crashed->bury(how);
}

Result<void> SandboxCore::try_undo(const ProcessPtr& crashed, const std::string& module, const Result<Outcome>& how) {
  PETRI_TRY(const Claim claimed, claim({module}));
  Part part;
  {
    MutexLock lock(mutex_);
    const auto& past = modules_.find(module)->second.past;
    if (past == nullptr || past->snapshot == nullptr) return fail(ErrorCode::not_found, "no snapshot of the switch");
    part.back_to = past->snapshot;
    if (past->versions.active().number != part.back_to->to()) return fail(ErrorCode::not_found, "another version runs");
  }
  PETRI_TRY(Part kept, kept_part(module, part.back_to->from(), {}));
  kept.back_to = part.back_to;
  SwitchOptions options = switch_options(std::nullopt, SwitchCause::trial, "petri");
  options.policy.drop_exports = true;
  options.reason = how ? std::string(name_of(how->kind)) : how.error().message;
  if (how && how->trap) options.trap = name_of(*how->trap);
  PETRI_TRY(plan_part(kept, options));
  std::vector<Part> parts;
  parts.push_back(std::move(kept));
  // A structural change that is under way may wait for what runs on this very thread, in a lane.
  if (lane_ == nullptr) {
    control_.lock();
  } else if (!control_.try_lock()) {
    return fail(ErrorCode::busy, "the sandbox is being changed");
  }
  auto switched = must_run() ? switch_parts(std::move(parts), options, crashed) : fail(must_run().error());
  control_.unlock();
  if (!switched) return fail(std::move(switched.error()));
  return {};
}

}  // namespace petri
