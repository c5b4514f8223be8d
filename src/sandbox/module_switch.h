// The exchange of one module's code under live processes: what is made beside them, what crosses, what takes its place.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/mutex.h"
#include "engine/instance_image.h"
#include "petri/reload.h"
#include "process/process.h"

namespace petri {

// What the processes of a module knew when it was switched, for the way back. On the account of the sandbox, which
// outlives it.
class SwitchSnapshot {
 public:
  struct Kept {
    std::shared_ptr<const InstanceImage> image;  // all of it, of what is movable,
    std::optional<StateDocument> document;       // else what it describes
  };

  SwitchSnapshot(TreeAccount& account, std::uint64_t from, std::uint64_t to)
      : account_(account), from_(from), to_(to) {}
  ~SwitchSnapshot() { account_.give_back(bytes_); }
  SwitchSnapshot(const SwitchSnapshot&) = delete;
  SwitchSnapshot& operator=(const SwitchSnapshot&) = delete;

  // Where there is no room for it, or nothing that can be kept, what is remembered is that.
  void keep(const std::string& process, Kept state);
  // What somebody else keeps anyway.
  void borrow(const std::string& process, std::shared_ptr<const InstanceImage> image) {
    kept_[process].image = std::move(image);
  }
  const Kept* find(const std::string& process) const;
  std::uint64_t from() const { return from_; }
  std::uint64_t to() const { return to_; }

 private:
  TreeAccount& account_;
  const std::uint64_t from_, to_;
  std::uint64_t bytes_ = 0;
  std::map<std::string, Kept> kept_;
};

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
};

// One thread at a time.
class ModuleSwitch {
 public:
  explicit ModuleSwitch(SwitchTerms terms) : terms_(std::move(terms)) {}

  const SwitchTerms& terms() const { return terms_; }
  const std::optional<StatePlan>& plan() const { return plan_; }

  // While the process goes on: makes the life that is to follow. start_failed, or what the engine says.
  Result<void> prepare(Process& process, Clock::TimePoint deadline);
  bool has_prepared(const Process& process) const { return beside_.contains(&process); }
  // While it is taken: its state crosses, and the new code says whether it is ready. Afterwards exchange() cannot fail.
  Result<void> carry(Process& process, Clock::TimePoint deadline);
  void exchange(Process& process, const std::shared_ptr<TrialPeriod>& trial);
  // Of a process that has lost its own.
  Life take_life(const Process& process);
  // Any thread: whatever runs in the lives beside ends, and no other is begun.
  void abandon() EXCLUDES(mutex_);

 private:
  struct Beside {
    std::unique_ptr<HookPort> port;
    Life life;
  };

  Result<void> begin(Process& process, Beside& beside, Clock::TimePoint deadline);
  Result<void> note_begun(Process& process) EXCLUDES(mutex_);
  void keep_state(Process& process) const;
  Result<void> cross(Process& process, Beside& beside, Clock::TimePoint deadline);
  Result<void> cross_described(Process& process, Life& life);
  Result<StateDocument> migrated(const Process& process, const StateDocument& document) const;
  Result<const StatePlan*> plan_between(const std::shared_ptr<const StateSchema>& from,
                                        const std::shared_ptr<const StateSchema>& to);
  Result<void> cross_hooks(Process& process, Beside& beside, Clock::TimePoint deadline);
  Result<std::string> saved(Process& process, HookPort& port, Clock::TimePoint deadline) const;
  Result<std::string> migrated(Process& process, Life& life, std::string bytes, Clock::TimePoint deadline) const;
  Result<void> cross_memory(Process& process, Life& life) const;
  Result<void> restore_kept(Life& life, const SwitchSnapshot::Kept& kept) const;
  Result<void> ask_ready(Process& process, Life& life, Clock::TimePoint deadline) const;
  Migration migration_of(const Process& process) const;
  const SwitchSnapshot::Kept* kept_for(const Process& process) const;

  const SwitchTerms terms_;
  std::optional<StatePlan> plan_;  // the last one that was used: processes of one module mostly have one schema
  std::map<const Process*, Beside> beside_;
  Mutex mutex_;
  std::vector<ProcessPtr> begun_ GUARDED_BY(mutex_);  // lives beside look at their flags
  bool abandoned_ GUARDED_BY(mutex_) = false;
};

}  // namespace petri
