// A change of code under live processes, as one transaction: all of it happens, or nothing does.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/switch/quiescence.h"

namespace petri {

// How a change is carried out, and who asked for it. Its cause says what follows:
// - reload and activate bring a version on trial, for which the state of before is kept;
// - rollback, trial and recovery go back to a version that was active;
// - restore brings back a snapshot.
// All but a reload pass the whole gate again.
struct ReloadTerms {
  ReloadPolicy policy;
  SwitchNews news;
  std::string revives;  // of a trial: the module that answers for those that crashed

  bool on_trial() const { return news.cause == SwitchCause::reload || news.cause == SwitchCause::activate; }
};

// plan() looks at everything that can be known before, and touches nothing. run() prepares instances beside the running
// ones, makes the processes quiescent, carries their state, commits the table, exchanges the instances and reports;
// whatever fails before the commit leaves everything as it was. One thread at a time.
//
// The modules are claimed. Whoever calls run() has the turn of StructuralControl; guests run meanwhile: start
// functions, hooks and migration handlers, and nobody holds another lock then.
class Reload {
 public:
  Reload(const ReloadParts& parts, ReloadTerms terms, ModuleChanges changes)
      : parts_(parts), terms_(std::move(terms)), changes_(std::move(changes)) {}
  Reload(const Reload&) = delete;
  Reload& operator=(const Reload&) = delete;

  const ModuleChanges& changes() const { return changes_; }
  ModuleTable::Commit commit_terms() const;
  // Guests and waiting threads follow the machine's clock, whatever the runtime's is.
  static Clock::TimePoint deadline_of(const ReloadPolicy& policy);

  // The steps of plan(), for those who want some of them. link() may add changes: those of modules that are linked to
  // others.
  Result<void> link();
  // It passes the gate: what was admitted before may be in quarantine since. What is rejected is reported.
  Result<void> check(const ModuleChange& change);
  Result<void> plan_state(ModuleChange& change);
  ModuleChange& change_of(std::string_view module);

  Result<void> plan();
  // `release` is called once all is done, before processes continue: then new code that crashes at its first call finds
  // the modules free to be rolled back.
  Result<std::vector<ReloadReport>> run(const std::function<void()>& release);

 private:
  // ---- plan
  Result<void> add_members(ModuleChange& change);
  Result<SwitchTerms> terms_as_member(const ModuleChange& change) const;
  Result<StateHints> renames_for(const ModuleChange& change, bool given) const;

  // ---- prepare
  // The changes that are more than their name.
  std::vector<ModuleChange*> needed();
  Result<void> try_start_unused(const std::vector<ModuleChange*>& changes);
  Result<void> prepare(ModuleChange& change, Process& process, Clock::TimePoint deadline);

  // ---- the exchange of processes that are taken together
  struct Exchange {
    std::vector<ModuleChange*> changes;
    ProcessPtr only;  // nullptr: all processes of their modules
    Clock::TimePoint deadline;
    // Afterwards everything has happened; empty: nothing is committed yet.
    std::function<Result<void>()> commit;
    std::function<void()> before_they_continue;
  };
  Result<void> exchange_together(const Exchange& together);
  void exchange(ModuleChange& change, Process& process);
  void keep_timers(const ModuleChange& change, const Process& process);
  void bring_back_timers(const ModuleChange& change, Process& process);
  // With the instance it had; where that cannot be, its crash is one like any other. nullptr: it does not live again.
  ModuleChange* revive(const Crash& crash, Clock::TimePoint deadline);
  // nullptr if the process has left the tree, or its module is not among the changes.
  ModuleChange* change_of(const Process& process);

  // Any thread.
  void abandon();
  Result<std::vector<ReloadReport>> switch_all(const std::function<void()>& release);

  // ---- one process after another (rolling_reload.cpp)
  // Those that have switched, and which of their instances did: one that was started again since has not.
  using Rolled = std::map<ProcessPtr, std::uint64_t>;
  Result<std::vector<ReloadReport>> roll_all(const std::function<void()>& release);
  Result<std::vector<ReloadReport>> roll_together(const std::function<void()>& release);
  Result<void> roll(Rolled& rolled);
  void start_trials(const std::vector<ModuleChange*>& changes);
  std::vector<ProcessPtr> left_to_roll(const ModuleChange& change, const Rolled& rolled) const;
  Result<void> switch_alone(ModuleChange& change, const ProcessPtr& process);
  Error roll_back(const Rolled& rolled, Error error);

  // ---- reports
  // Subscribers receive the switch before anything of the new version; the audit trail follows once that runs.
  std::vector<ReloadReport> publish(Clock::Duration preparation);
  void audit(const std::vector<ReloadReport>& reports);
  ReloadReport report_of(const ModuleChange& change) const;

  const ReloadParts parts_;
  const ReloadTerms terms_;
  ModuleChanges changes_;
};

}  // namespace petri
