// The verbs that change the code of live processes: reload, activate, rollback.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/journal/operation.h"
#include "sandbox/recovery/crash_aftermath.h"
#include "sandbox/reload/reload.h"
#include "sandbox/structural_control.h"
#include "sandbox/versions/claim.h"

namespace petri {

// Each verb waits for what a crash before it has set off, claims the modules, says what is to change, and carries that
// out as one Reload with the structural turn. It has no state, and is as cheap to make as a copy of its parts. Any
// thread; its deadlock is refused.
class Reloads {
 public:
  // All of one sandbox; it outlives this.
  struct Parts {
    const std::string& sandbox;
    const ReloadPolicy& policy;  // of verbs that bring none of their own
    CurrentOperation& operation;
    Standing& standing;
    StructuralControl& control;
    CrashAftermath aftermath;
    ReloadParts reload;
  };
  explicit Reloads(const Parts& parts) : parts_(parts) {}

  Result<ReloadReport> reload(std::string_view module, const Source& source, const ReloadOptions& options) const;
  Result<std::vector<ReloadReport>> reload_all(const std::vector<ModuleSpec>& modules,
                                               const ReloadOptions& options) const;
  // Reloads those modules of a folder that the sandbox has.
  Result<std::vector<ReloadReport>> reload_folder(const Source& folder, const ReloadOptions& options) const;
  Result<ReloadReport> activate(std::string_view module, std::uint64_t version, const ReloadOptions& options) const;
  Result<ReloadReport> rollback(std::string_view module, std::uint64_t version, const RollbackOptions& options) const;
  // The plan of a reload, as far as that shows without the values; nothing is claimed or changed.
  Result<ReloadPlan> plan(std::string_view module, const Source& source, const ReloadOptions& options) const;

  // ---- for the verbs of others that are a Reload, too

  // After what crashed before they came.
  Result<Claim> claim(std::vector<std::string> modules) const;
  ReloadTerms terms(const std::optional<ReloadPolicy>& policy, SwitchCause cause, std::string actor) const;
  // To code that has just passed the gate. Code that is in the table already keeps its number.
  Result<ModuleChange> change_to(const std::string& module, LoadedModule loaded, const ReloadOptions& options) const;
  // The transaction. deadlock if this thread keeps one of the processes from becoming quiescent.
  Result<std::vector<ReloadReport>> apply(ModuleChanges changes, ReloadTerms terms, Claim& claimed) const;

 private:
  Result<void> check(const std::optional<ReloadPolicy>& policy) const;
  Result<ReloadReport> apply_to(std::string_view module, ModuleChanges changes, ReloadTerms terms,
                                Claim& claimed) const;
  Result<ReloadReport> rollback_with_snapshot(const std::string& module, std::uint64_t version,
                                              ReloadTerms terms) const;
  Result<void> may_quiesce_here(const ModuleChanges& changes, std::string_view doing) const;

  const Parts parts_;
};

}  // namespace petri
