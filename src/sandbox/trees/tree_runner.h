// Carries out what a supervision tree decides, on real processes.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"
#include "base/mutex.h"
#include "base/on_demand.h"
#include "process/process.h"
#include "sandbox/timers/timers.h"
#include "supervisor/supervision_tree.h"

namespace petri {

class TreeRunner;

// The sandbox, as its tree sees it. Calls come one at a time, except process_started_late.
class TreeHost {
 public:
  virtual ~TreeHost() = default;
  // Keep what is to be done alive, have the workers and the clock, and pay.
  virtual ProcessServices& services() = 0;
  virtual Timers& timers() = 0;
  // The most time that one process may take to end in order, whatever its spec asks for.
  virtual Clock::Duration shutdown_max() const = 0;
  // The process that has this place, made when it is new. already_exists: a process of another tree has that name.
  virtual Result<ProcessPtr> process_for(const TreeRunner& tree, const std::string& address) = 0;
  virtual Result<Outcome> start_process(Process& process, Incarnation incarnation, const ChildSpec& spec,
                                        bool again) = 0;
  // Nobody is there any more, nor anywhere below.
  virtual void place_emptied(const TreeRunner& tree, const std::string& address) = 0;
  virtual void gave_up(const SupervisorGaveUp& news) = 0;
  virtual void tree_ended(const TreeRunner& which, const TreeEnded& news) = 0;
};

// One thread at a time carries out actions: the one that asked for something, or a worker after an exit. Kills are
// carried out at once by whoever learns of them, so that a guest that never ends holds up nobody for longer than its
// time. Any thread may call.
//
// How long an end takes is for the host to say: a process that is stopped has shutdown_max() at most, and a tree that
// is stopped the time it is given; then what is left is killed, whatever the specs of its children ask for.
//
// It has more than forty functions, because each kind of action has a carry_out() and each question takes the lock by
// itself. None of them decides anything: that is SupervisionTree's.
class TreeRunner : public std::enable_shared_from_this<TreeRunner> {
 public:
  TreeRunner(TreeHost& host, const SupervisorSpec& spec, StopOrder order = StopOrder::reverse);

  // Returns once all children run, or none does.
  Result<void> start() EXCLUDES(mutex_);
  // In order, and what still runs at that time is killed; returns once nothing runs any more. Of several times the
  // first counts.
  void stop(Clock::TimePoint end_by) EXCLUDES(mutex_);
  // Returns at once; a stop() that follows waits for the rest.
  void begin_stop(Clock::TimePoint end_by) EXCLUDES(mutex_);
  // Answers the address of a child that was added, else nothing.
  Result<std::string> request(std::string_view supervisor, Request request) EXCLUDES(mutex_);
  // Asks without waiting: the reply is given when it is done, the address as its output. For guests, who may not wait
  // longer than they may run.
  void ask(std::string_view supervisor, Request request, ReplyPtr reply) EXCLUDES(mutex_);
  // Nothing is being done here: what ended has been restarted, or not.
  bool is_quiet() const EXCLUDES(mutex_);
  // Returns whether everything that follows an exit is done: what is only being started or stopped has its time.
  bool is_settled() const EXCLUDES(mutex_);
  void wait_until_quiet() const { wait_until_quiet(Clock::TimePoint::max()); }
  // Or until that time of the machine's clock.
  void wait_until_quiet(Clock::TimePoint deadline) const EXCLUDES(mutex_);
  // This very instance is being started here: whatever is asked for meanwhile waits for that.
  bool is_starting(const Process& process) const EXCLUDES(mutex_);

  // A process has ended by itself.
  void exited(const Process& process, Incarnation incarnation, ExitReason reason) EXCLUDES(mutex_);

  std::vector<TreeEntry> entries() const EXCLUDES(mutex_);
  // Returns whether a child or a supervisor has this address, started or not.
  bool has(std::string_view address) const EXCLUDES(mutex_);
  // The template of a simple_one_for_one; nullopt where there is none.
  std::optional<TreeChild> template_at(std::string_view supervisor) const EXCLUDES(mutex_);
  // The error of a failed start, with what became of this incarnation.
  Error explain(Error error, Incarnation incarnation) const EXCLUDES(mutex_);
  const TreeEnded& ending() const { return ending_; }

 private:
  void add(TreeActions actions) REQUIRES(mutex_);
  void arm() REQUIRES(mutex_);
  void expire() EXCLUDES(mutex_);
  void perform() EXCLUDES(mutex_);
  void perform_elsewhere() EXCLUDES(mutex_);
  void hand_on() EXCLUDES(mutex_);
  // The references that tasks hold: this, and what it stands on.
  std::pair<std::shared_ptr<TreeRunner>, std::shared_ptr<void>> kept() {
    return {shared_from_this(), host_.services().keep_alive()};
  }
  bool next(TreeAction& action) EXCLUDES(mutex_);
  bool is_quiet_now() const REQUIRES(mutex_);

  void carry_out(const StartProcess& action) EXCLUDES(mutex_);
  void carry_out(const StopProcess& action) EXCLUDES(mutex_);
  void carry_out(const KillProcess& action) EXCLUDES(mutex_);
  void carry_out(const PlaceRemoved& action) EXCLUDES(mutex_);
  void carry_out(const PlaceStopped& action) EXCLUDES(mutex_);
  void carry_out(const SupervisorGaveUp& action) EXCLUDES(mutex_);
  void carry_out(const Answer& action) EXCLUDES(mutex_);
  void carry_out(const TreeStarted& action) EXCLUDES(mutex_);
  void carry_out(const TreeEnded& action) EXCLUDES(mutex_);
  void stop_process(Incarnation incarnation, ExitReason reason) EXCLUDES(mutex_);
  void wait_until_settled() EXCLUDES(mutex_);
  void ask_to_stop(Clock::TimePoint end_by) EXCLUDES(mutex_);
  std::optional<Clock::TimePoint> next_deadline() const REQUIRES(mutex_);
  void kill_overdue(Clock::TimePoint now) REQUIRES(mutex_);
  void give_time(Incarnation incarnation) REQUIRES(mutex_);
  void forget(Incarnation incarnation) REQUIRES(mutex_);
  void enter(std::string_view supervisor, Request request, ReplyPtr reply) EXCLUDES(mutex_);
  void kill_starting() REQUIRES(mutex_);
  void start_failed(Incarnation incarnation, Result<Outcome> how) REQUIRES(mutex_);

  struct Running {
    ProcessPtr process;
    bool starting = false;
    bool stopping = false;
    std::optional<ExitReason> exited;  // so soon that its start has not been reported yet
    Clock::TimePoint kill_at;          // while it stops
  };

  TreeHost& host_;
  mutable Mutex mutex_;
  mutable Condition changed_;
  SupervisionTree tree_ GUARDED_BY(mutex_);
  std::list<TreeAction> actions_ GUARDED_BY(mutex_);  // an empty one takes no memory of its own
  bool performing_ GUARDED_BY(mutex_) = false;
  bool unsettled_ GUARDED_BY(mutex_) = false;  // a process has ended by itself, and it has not been quiet since
  bool stopping_ GUARDED_BY(mutex_) = false;   // nothing new is started
  bool started_ GUARDED_BY(mutex_) = false;
  bool ended_ GUARDED_BY(mutex_) = false;
  TreeEnded ending_;  // set before ended_
  std::map<Incarnation, Running> running_ GUARDED_BY(mutex_);
  OnDemand<std::set<std::pair<Clock::TimePoint, Incarnation>>> kills_ GUARDED_BY(mutex_);  // of those that stop
  std::optional<Clock::TimePoint> end_by_ GUARDED_BY(mutex_);                              // when all of it is killed
  OnDemand<std::map<Incarnation, Result<Outcome>>> failures_ GUARDED_BY(mutex_);           // the last few
  OnDemand<std::map<Ticket, ReplyPtr>> replies_ GUARDED_BY(mutex_);
  Ticket last_ticket_ GUARDED_BY(mutex_) = 0;
  std::optional<Clock::TimePoint> armed_ GUARDED_BY(mutex_);
  TimerId timer_ GUARDED_BY(mutex_) = 0;  // while armed
};

}  // namespace petri
