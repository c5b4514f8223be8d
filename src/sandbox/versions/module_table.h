// The modules of a sandbox: their versions, how they are linked with one another, and who is changing which.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "petri/sandbox.h"
#include "sandbox/versions/module_claims.h"
#include "sandbox/versions/module_links.h"

namespace petri {

// Any thread. Its lock comes after the sandbox's mutex_, and nothing is waited for under it: no guest runs, no code is
// loaded, and no process is asked. An answer is as of the moment it was given; a claim keeps it true.
// It has some forty functions, for each question needs one look at the table under the lock; the rules are free
// functions in module_links.h.
class ModuleTable {
 public:
  // The id outlives it. Versions that came with the sandbox are as old as that.
  ModuleTable(const std::string& sandbox, WallTime created) : sandbox_(sandbox), created_(created) {}

  // ---- what is in it

  bool contains(std::string_view module) const EXCLUDES(mutex_);
  std::size_t size() const EXCLUDES(mutex_);
  std::vector<std::string> names() const EXCLUDES(mutex_);
  std::vector<ModuleSummary> summaries() const EXCLUDES(mutex_);
  Result<void> must_be_new(std::string_view module) const EXCLUDES(mutex_);
  // The active version of a module and its number.
  struct Active {
    ModuleCodePtr code;
    std::uint64_t number = 0;
  };
  Result<Active> active(std::string_view module) const EXCLUDES(mutex_);
  // The active code for a process that starts: linked with what it imports.
  Result<Active> active_to_start(std::string_view module) EXCLUDES(mutex_);
  // As of now; of a module that was never changed, the table it would have.
  Result<VersionTable> versions(std::string_view module) const EXCLUDES(mutex_);

  // Before anything runs: a module with its first version, or with the versions it had elsewhere.
  void put(const std::string& module, const ModuleCodePtr& code, SourceFacts source, VersionNeeds needs)
      EXCLUDES(mutex_);
  void put(const std::string& module, VersionTable versions) EXCLUDES(mutex_);
  // While the sandbox lives. link_error when it cannot be linked, already_exists.
  Result<void> add(std::string_view module, VersionTable versions) EXCLUDES(mutex_);
  void clear() EXCLUDES(mutex_);
  // The sandbox was destroyed: from now on every question is answered by that.
  void close() EXCLUDES(mutex_);

  // Adds a version without activating it. Code that is in the table already keeps its number.
  struct Staged {
    Version version;
    std::uint64_t active = 0;
    bool is_new = false;
  };
  Result<Staged> stage(std::string_view module, Version version, std::uint64_t versions_max) EXCLUDES(mutex_);
  void prune(std::uint64_t versions_max) EXCLUDES(mutex_);

  // ---- links

  // Empty where no module imports from another, as in most sandboxes.
  DependencyGraph graph() const EXCLUDES(mutex_);
  Result<std::vector<std::string>> dependencies(std::string_view module) const EXCLUDES(mutex_);
  Result<std::vector<std::string>> reload_order() const EXCLUDES(mutex_);
  // As check_links() of module_links.h; whether there are any.
  Result<bool> check_all_links() const EXCLUDES(mutex_);
  // As link_with() of module_links.h; the table stays as it is.
  Result<ModuleCodePtr> link(std::string_view module, const ModuleCodePtr& code, const VersionNeeds& needs) const
      EXCLUDES(mutex_);

  // ---- claims

  // While a module is claimed nobody else changes it, nor those that depend on it, which are added to the names. busy,
  // not_found, or validation_failed when one is named twice.
  Result<void> claim(std::vector<std::string>& modules) EXCLUDES(mutex_);
  // Returns true if none is claimed any more.
  bool release(const std::vector<std::string>& modules) EXCLUDES(mutex_);

  // ---- changes of claimed modules

  // To this code. A version that has it already is used instead of a new one.
  Result<ModuleChange> change_to(const std::string& module, Version version, const StateHints& renames) const
      EXCLUDES(mutex_);
  // To a version that is kept; 0: the one that was active before.
  Result<ModuleChange> change_to_kept(const std::string& module, std::uint64_t number, const StateHints& renames) const
      EXCLUDES(mutex_);
  // As link_changes() and link_late() of module_links.h.
  Result<void> link(ModuleChanges& changes, const std::set<std::string>& run) const EXCLUDES(mutex_);
  Result<void> link_late(ModuleChange& change, const ModuleChanges& changes) const EXCLUDES(mutex_);

  struct Commit {
    SwitchCause cause = SwitchCause::reload;
    std::string actor;
    Trial trial;  // of changes that keep the state they had
    WallTime time;
    Clock::TimePoint now;
    std::uint64_t versions_max = 0;
  };
  // `busy`, and nothing was done, when what the changes are linked with has changed since they were.
  Result<void> commit(ModuleChanges& changes, const Commit& commit) EXCLUDES(mutex_);
  // Where nothing runs: no state has crossed, and there is no way back to it.
  void commit_without_state(const ModuleChanges& changes, const Commit& commit) EXCLUDES(mutex_);

  // ---- the last switch of a module, and the way back

  enum class CrashIs : std::uint8_t { nothing, first, another };
  // Adds a crash. `nothing`: the trial is over. `first`: the caller rolls the switch back.
  CrashIs add_crash(const TrialPeriod& trial, Crash crash, Clock::TimePoint now) EXCLUDES(mutex_);
  // Takes those that crashed until now; they are the caller's.
  std::vector<Crash> take_crashes(const std::string& lead) EXCLUDES(mutex_);
  // How the first of them ended.
  std::optional<Result<Outcome>> first_crash(const std::string& lead) const EXCLUDES(mutex_);
  // The state that the last switch kept in which this module took part; not_found when one of them was switched since.
  Result<SwitchSnapshots> last_switch_of(const std::string& module) const EXCLUDES(mutex_);
  // A module that can go back, and whose last switch somebody asked for less than `within` before that time.
  struct Recent {
    std::vector<std::string> modules;
    std::optional<Clock::Duration> switched;  // how long before that time the last of them was
  };
  Recent switched_before(Clock::TimePoint time, Clock::Duration within) const EXCLUDES(mutex_);

 private:
  Result<void> must_be_open() const REQUIRES(mutex_);
  Result<const ModuleEntry*> find(std::string_view module) const REQUIRES(mutex_);
  // nullptr if there is no such module, or it was never changed.
  ModulePast* find_past(std::string_view module) const REQUIRES(mutex_);
  VersionTable first_versions(const ModuleCodePtr& code, SourceFacts source, VersionNeeds needs = {}) const;
  VersionTable versions_of(const ModuleEntry& module) const;
  ModulePast& past_of(ModuleEntry& module) const;
  std::unexpected<Error> no_module(std::string_view names) const;
  std::unexpected<Error> has_module(std::string_view module) const;
  void commit_one(ModuleChange& change, const Commit& commit) REQUIRES(mutex_);

  const std::string& sandbox_;
  const WallTime created_;
  mutable Mutex mutex_;
  ModuleEntries modules_ GUARDED_BY(mutex_);  // none is ever removed before all are
  ModuleClaims claims_ GUARDED_BY(mutex_);
  bool closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace petri
