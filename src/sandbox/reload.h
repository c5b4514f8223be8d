// A change of code under live processes, as one transaction: all of it happens, or nothing does.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "sandbox/quiescence.h"

namespace petri {

// How a change is carried out. Its cause says what kind it is:
// - reload and activate bring a version on trial, for which the state of before is kept;
// - rollback, trial and recovery go back to a version that was active;
// - restore replaces what processes know, also where the version stays.
// All but a reload pass the whole gate again.
struct ReloadTerms {
  ReloadPolicy policy;
  SwitchNews news;
  bool renames_given = false;                           // by the caller, not by the table
  std::string revives;                                  // of a trial: the module that answers for those that crashed
  std::function<void(Process&)> on_switched = nullptr;  // each of them, while it is taken

  bool on_trial() const { return news.cause == SwitchCause::reload || news.cause == SwitchCause::activate; }
  bool replaces_state() const { return news.cause == SwitchCause::restore; }
};

// plan() looks at everything that can be known before, and touches nothing. run() prepares instances beside the running
// ones, makes the processes quiescent, carries their state, commits the table, exchanges the instances and reports;
// whatever fails before the commit leaves everything as it was. One thread at a time.
//
// The modules are claimed. Whoever calls run() has the sandbox's control_; guests run meanwhile: start functions, hooks
// and migration handlers, and nobody holds another lock then.
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

  // The steps of plan(), for those who want some of them. link() may add changes: of those that are linked to others.
  Result<void> link();
  // It passes the gate: what came in before may be in quarantine since. What is rejected is reported.
  Result<void> check(const ModuleChange& change);
  Result<void> plan_state(ModuleChange& change);
  ModuleChange& change_of(std::string_view module);

  Result<void> plan();
  // `release` is called once all is done, before anybody hears of it or is let in to the new code: then new code that
  // crashes at its first call finds the modules free to be rolled back.
  Result<std::vector<ReloadReport>> run(const std::function<void()>& release);

 private:
  bool is_needed(const ModuleChange& change) const {
    return change.to_number != change.from_number || terms_.replaces_state() || change.only_links();
  }
  Result<void> add_members(ModuleChange& change);
  Result<SwitchTerms> terms_as_member(const ModuleChange& change) const;
  Result<StateHints> renames_for(const ModuleChange& change, bool given) const;

  Result<std::vector<ReloadReport>> switch_all(const std::function<void()>& release);
  Result<void> prepare_all(Clock::TimePoint deadline);
  Result<void> prepare(ModuleChange& change, Process& process, Clock::TimePoint deadline);
  Result<void> try_start(const ModuleChange& change, Clock::TimePoint deadline);
  void exchange(ModuleChange& change, Process& process);
  void keep_timers(const ModuleChange& change, const Process& process);
  void bring_back_timers(const ModuleChange& change, Process& process);
  // With the instance it had; where that cannot be, its crash is one like any other.
  void revive(const Crash& crash, Clock::TimePoint deadline);
  // nullptr if the process has left the tree, or its module is not among the changes.
  ModuleChange* change_of(const Process& process);

  // One process after another. Those that have switched, and which of their instances did: one that was started again
  // since has not.
  using Rolled = std::map<ProcessPtr, std::uint64_t>;
  Result<std::vector<ReloadReport>> roll_all(const std::function<void()>& release);
  Result<std::vector<ReloadReport>> roll_together(const std::function<void()>& release);
  Result<void> roll(Rolled& rolled);
  Result<void> begin_trials();
  std::vector<ProcessPtr> left_to_roll(const ModuleChange& change, const Rolled& rolled) const;
  Result<void> switch_alone(ModuleChange& change, const ProcessPtr& process);
  Error roll_back(const Rolled& rolled, Error error);

  // What happened to a module in the processes of those that are linked with it.
  void gather_switched();
  std::vector<ReloadReport> reports(Clock::Duration preparation);
  static ReloadReport report_of(ModuleChange& change, Clock::Duration preparation);

  const ReloadParts parts_;
  const ReloadTerms terms_;
  ModuleChanges changes_;
};

}  // namespace petri
