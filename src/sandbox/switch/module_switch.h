// The exchange of one module's code under live processes: what is made beside them, what crosses, what takes its place.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "engine/instance/instance_image.h"
#include "petri/reload.h"
#include "process/process.h"
#include "sandbox/switch/switch_snapshot.h"

namespace petri {

// Everything that is decided before an instance is created; Reload::plan_state makes them.
struct SwitchTerms {
  std::string module;
  ModuleCodePtr from, to;
  std::uint64_t from_number = 0, to_number = 0;
  StateWay way = StateWay::none;
  StateHints renames;
  ReloadPolicy policy;
  std::uint64_t state_bytes_max = 0;
  std::shared_ptr<const SwitchSnapshot> back_to;  // where state comes from, in place of the processes
  std::shared_ptr<SwitchSnapshot> keep;           // where theirs goes
  // A process that `back_to` does not know starts with no state, or carries what it has.
  enum class Unknown : std::uint8_t { starts_fresh, carries_its_own } unknown = Unknown::starts_fresh;
};

// The steps come in this order: prepare() for each process, carry() for each, then exchange() for each, which cannot
// fail. Until then nothing has changed, and what was created goes with this. One thread at a time but for abandon().
// Its functions are the steps and one for each way that state can take; those that need nothing of it are static.
class ModuleSwitch {
 public:
  explicit ModuleSwitch(SwitchTerms terms) : own_(std::move(terms)) {}
  ModuleSwitch(const ModuleSwitch&) = delete;
  ModuleSwitch& operator=(const ModuleSwitch&) = delete;

  const SwitchTerms& terms() const { return terms_; }
  const std::optional<StatePlan>& plan() const { return own_.plan; }

  // Before anything is prepared: another keeps what the processes know.
  void keep_in(std::shared_ptr<SwitchSnapshot> keep) { own_.terms.keep = std::move(keep); }
  // Sets the code together with what it is linked with, which was not linked when the terms were made.
  void set_code(ModuleCodePtr to) { own_.terms.to = std::move(to); }
  // Adds a module that this one is linked with and that changes too, on its own terms.
  void add_member(const SwitchTerms& terms) { members_.emplace_back(terms); }
  // The plan of the state of that one; none before it was made.
  const std::optional<StatePlan>& plan_of(std::string_view module) const;

  // While the process continues: creates the instance that is to follow. start_failed, or what the engine says.
  Result<void> prepare(Process& process, Clock::TimePoint deadline);
  // Where no process of the module lives: an instance of the new code that nobody will have. start_failed when it does
  // not start.
  Result<void> try_start(ProcessOwner& owner, Clock::TimePoint deadline) EXCLUDES(mutex_);
  bool has_prepared(const Process& process) const { return beside_.contains(&process); }
  // While it is taken: its state crosses, and the new code says whether it is ready. Afterwards exchange() cannot fail.
  Result<void> carry(Process& process, Clock::TimePoint deadline);
  // The trial that processes are on once they are exchanged; nullptr: none.
  void set_trial(std::shared_ptr<TrialPeriod> trial) { trial_ = std::move(trial); }
  const std::shared_ptr<TrialPeriod>& trial() const { return trial_; }
  void exchange(Process& process);
  // The prepared instance, for a process that has lost its own.
  LiveInstance take_instance(const Process& process);
  // The processes that have the new code, for the report.
  void note_switched(ProcessSwitch process) { switched_.push_back(std::move(process)); }
  const std::vector<ProcessSwitch>& switched() const { return switched_; }
  // Any thread: whatever runs in the lives beside ends, and no other is started.
  void abandon() EXCLUDES(mutex_);

 private:
  struct Beside {
    std::unique_ptr<HookPort> port;
    LiveInstance live;
  };

  Result<void> begin(Process& process, Beside& beside, Clock::TimePoint deadline);
  Result<void> note_started(ProcessPtr process) EXCLUDES(mutex_);
  void keep_state(Process& process) const;

  // The change of one module: this one, or one that it is linked with.
  struct Change {
    explicit Change(SwitchTerms given) : terms(std::move(given)) {}
    SwitchTerms terms;
    std::optional<StatePlan> plan;  // the last one that was used: processes of one module mostly have one schema
  };
  // The change of one module in one process, which continues with it.
  struct Crossing {
    Process& process;
    Beside& beside;
    Change& change;
    Instance& from;
    Instance& to;
    // Their places in their groups; none: it is by itself.
    std::optional<std::size_t> place_from, place_to;
    Clock::TimePoint deadline;

    const SwitchTerms& terms() const { return change.terms; }
  };

  Result<void> cross(Process& process, Beside& beside, Clock::TimePoint deadline);
  // All members of the group, each after those it imports from: so the module itself comes last.
  Result<void> cross_group(Process& process, Beside& beside, Clock::TimePoint deadline);
  Change* change_of(std::string_view module);
  Change unchanged(const ModuleCode& group, const std::string& module) const;
  Result<void> cross_by_terms(const Crossing& crossing) const;
  static Result<void> cross_described(const Crossing& crossing);
  static Result<StateDocument> migrated(const Crossing& crossing, const StateDocument& document);
  static Result<const StatePlan*> plan_between(Change& change, const std::shared_ptr<const StateSchema>& from,
                                               const std::shared_ptr<const StateSchema>& to);
  static Result<void> cross_hooks(const Crossing& crossing);
  static Result<std::string> saved(const Crossing& crossing);
  static Result<std::string> migrated(const Crossing& crossing, std::string bytes);
  Result<void> cross_memory(const Crossing& crossing) const;
  Result<void> check_memory_crosses(const ModuleCode& code, Instance& from, const SwitchTerms& terms) const;
  ImageTerms image_terms(const SwitchTerms& terms) const;
  Result<void> restore_kept(LiveInstance& live, const SwitchSnapshot::Kept& kept) const;
  Result<void> ask_ready(Process& process, LiveInstance& live, Clock::TimePoint deadline) const;
  static Migration migration_of(const Crossing& crossing);
  bool goes_back(const Process& process) const;
  const SwitchSnapshot::Kept* kept_for(const Process& process) const;

  Change own_;
  const SwitchTerms& terms_ = own_.terms;
  std::vector<Change> members_;
  std::shared_ptr<TrialPeriod> trial_;
  std::vector<ProcessSwitch> switched_;
  std::map<const Process*, Beside> beside_;
  Mutex mutex_;
  std::vector<ProcessPtr> started_ GUARDED_BY(mutex_);  // instances on standby look at their flags
  KillFlag trial_start_;                                // of an instance that belongs to no process
  std::atomic<bool> abandoned_ = false;                 // set with the mutex
};

}  // namespace petri
