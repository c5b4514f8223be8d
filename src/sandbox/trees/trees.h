// The trees of a sandbox: the one of its spec, and that of the children that guests spawn.
#pragma once

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutex.h"
#include "petri/sandbox.h"
#include "sandbox/processes/process_starts.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/structural_control.h"
#include "sandbox/trees/tree_runner.h"
#include "sandbox/trees/tree_spec.h"

namespace petri {

// The notification by which supervision gives up; called without a lock, on a thread of the tree's.
class TreeNews {
 public:
  virtual ~TreeNews() = default;
  virtual void supervisor_gave_up(const SupervisorGaveUp& news) = 0;
  // The whole tree; nobody in it comes back.
  virtual void tree_gave_up(std::shared_ptr<const TreeRunner> tree) = 0;
};

// A guest that spawns while the first tree is busy waits for nobody: what guests spawn is in a tree of its own, made
// for the first of them. Only instances of a pool are spawned into the first. Children of both share their addresses.
//
// Any thread. The lock says which trees there are; it is held for moments, after that of Standing and before those of
// ProcessTable and StructuralControl, and no tree is asked for anything under it. A tree's actions are carried out by
// one thread at a time, without a lock: guests start and end then.
class Trees final : public TreeHost {
 public:
  // All of it outlives the trees.
  struct Parts {
    ProcessOwner& owner;
    Timers& timers;
    StructuralControl& control;
    ProcessTable& processes;
    TreeSpec& spec;
    ProcessStarts& starts;
    TreeNews& news;
  };
  using Turn = StructuralControl::Turn;
  using RunnerPtr = std::shared_ptr<TreeRunner>;

  explicit Trees(const Parts& parts) : parts_(parts) {}

  // ---- structural work

  // As the spec says. Returns once all children run, or none does; cancelled if somebody waits to end the sandbox:
  // whoever comes later finds this tree.
  Result<void> start(const Turn& turn) EXCLUDES(mutex_);
  // In order, within shutdown_max; returns once nothing runs and no process is left. What guests spawned ends first and
  // has half of the time.
  void end(const Turn& turn) EXCLUDES(mutex_);
  // The same is on its way when this returns; end() waits for the rest.
  void start_to_end() EXCLUDES(mutex_);
  // This tree gave up. True if something of the other lives: the sandbox continues without this one, if it can.
  bool lives_without(const std::shared_ptr<const TreeRunner>& gave_up) EXCLUDES(mutex_);
  // For good.
  void close() EXCLUDES(mutex_);

  // ---- questions

  // nullptr before the first start and after close().
  RunnerPtr tree() const EXCLUDES(mutex_);
  // The tree that guests spawned; nullptr if they have not.
  RunnerPtr dynamic() const EXCLUDES(mutex_);
  // The tree for guests, made if there is none; nullptr when everything is being ended.
  RunnerPtr for_spawned() EXCLUDES(mutex_);
  // All trees that there are.
  std::vector<RunnerPtr> all() const EXCLUDES(mutex_);
  bool is_dynamic(const TreeRunner& tree) const EXCLUDES(mutex_);

  // Nothing is being started or ended; the other says the same of what follows an exit alone.
  bool are_quiet() const EXCLUDES(mutex_);
  bool are_settled() const EXCLUDES(mutex_);
  // Until they are quiet, or that time of the machine's clock.
  void wait_until_quiet(Clock::TimePoint deadline = Clock::TimePoint::max()) const EXCLUDES(mutex_);
  // A process that has its place does not live now.
  bool some_are_down() const;

  std::vector<ProcessPtr> processes_of(std::string_view module) const EXCLUDES(mutex_);
  std::set<std::string> modules_with_processes() const EXCLUDES(mutex_);
  std::vector<ChildInfo> children() const EXCLUDES(mutex_);

  // A process has ended by itself.
  void exited(const Process& process, Incarnation incarnation, ExitReason reason) EXCLUDES(mutex_);

  // TreeHost
  ProcessServices& services() override { return parts_.owner; }
  Timers& timers() override { return parts_.timers; }
  Clock::Duration shutdown_max() const override;
  Result<ProcessPtr> process_for(const TreeRunner& tree, const std::string& address) override EXCLUDES(mutex_);
  Result<Outcome> start_process(Process& process, Incarnation incarnation, const ChildSpec& spec, bool again) override;
  void place_emptied(const TreeRunner& tree, const std::string& address) override EXCLUDES(mutex_);
  void gave_up(const SupervisorGaveUp& news) override { parts_.news.supervisor_gave_up(news); }
  void tree_ended(const TreeRunner& which, const TreeEnded& news) override EXCLUDES(mutex_);

 private:
  const Parts parts_;
  mutable Mutex mutex_;
  RunnerPtr tree_ GUARDED_BY(mutex_);
  RunnerPtr dynamic_ GUARDED_BY(mutex_);
};

}  // namespace petri
