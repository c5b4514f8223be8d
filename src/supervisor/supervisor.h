// The rules of one supervisor: given what happened, it says what to do next. Exactly as the supervisor of Erlang/OTP.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "base/on_demand.h"
#include "supervisor/child_table.h"
#include "supervisor/restart_budget.h"
#include "supervisor/supervisor_actions.h"
#include "supervisor/update_plan.h"

namespace petri {

// Gives out incarnations; one for all supervisors of a tree.
class Incarnations {
 public:
  Incarnation next() { return ++last_; }

 private:
  Incarnation last_ = kNoIncarnation;
};

// How the children of a supervisor that ends are stopped. reverse: one after the other, the last that was started
// first; those of a simple_one_for_one together, as in OTP. together: all at once, for children that do not build on
// one another.
enum class StopOrder : std::uint8_t { reverse, together };

// A value without threads or clocks; calls come one at a time and `now` never goes back. Every call answers with the
// actions that follow from it, in order. Several stops in one answer may be carried out at once; otherwise there is one
// action at a time that needs a report, and until it has come everything else that happens waits in the inbox, first
// come first served, as in the mailbox of an Erlang process. Reports of incarnations that are past are ignored.
//
// It has some fifty functions of a few lines, one for each report, request and step of work, as the pages of Erlang/OTP
// have a paragraph for each: they change one state, so no part of them could stand alone. What needs no state is a
// function of its own: should_restart(), plan_update(), RestartBudget.
class Supervisor {
 public:
  using TimePoint = Clock::TimePoint;

  // The incarnations outlive the supervisor.
  Supervisor(const SupervisorSpec& spec, Incarnations& incarnations, StopOrder order = StopOrder::reverse,
             std::string address = {});

  // Once, first of all.
  SupervisorActions start(TimePoint now);

  // Reports on actions, and a child that ends by itself.
  SupervisorActions started(Incarnation incarnation, TimePoint now);
  SupervisorActions start_failed(Incarnation incarnation, TimePoint now);
  SupervisorActions exited(Incarnation incarnation, ExitReason reason, TimePoint now);
  // `failures` are the children below that could not be started.
  SupervisorActions updated(Incarnation incarnation, std::vector<std::string> failures, TimePoint now);

  SupervisorActions request(Ticket ticket, Request request, TimePoint now);
  // Ends it in order, after what is in the inbox: children stop as the StopOrder says.
  SupervisorActions stop(TimePoint now);
  // Ends it at once, whatever it is doing.
  SupervisorActions kill(TimePoint now);

  // When the time of the first of the children that are stopping is up; then call expire().
  std::optional<TimePoint> deadline() const {
    return deadlines_->empty() ? std::nullopt : std::optional(deadlines_->begin()->first);
  }
  SupervisorActions expire(TimePoint now);

  const ChildTable& children() const { return children_; }
  Strategy strategy() const { return strategy_; }
  // nullptr unless it is a simple_one_for_one.
  const TreeChild* child_template() const { return template_.get(); }
  bool ended() const { return ended_; }

 private:
  using Place = ChildTable::Place;

  struct Exit {
    Incarnation incarnation;
    ExitReason reason;
  };
  struct TryAgain {
    std::string id;
  };
  struct Asked {
    Ticket ticket;
    Request request;
  };
  struct StopAll {};
  using Message = std::variant<Exit, TryAgain, Asked, StopAll>;

  struct Update {
    UpdatePlan plan;
    SupervisorSpec wanted;
  };
  enum class Purpose { begin, restart_round, add, restart_one, stop_one, update, end };
  // The work under way: some stops, then some updates, then some starts, one after the other.
  struct Work {
    Purpose purpose = Purpose::begin;
    std::list<Place> stops;
    std::list<Place> updates;
    std::list<Place> starts;
    bool stops_together = false;
    std::optional<Ticket> ticket;
    std::optional<Update> update;  // until its stops are done
    std::vector<std::string> failures;
    Incarnation incarnation = kNoIncarnation;
    std::string added;
    SupervisorEnded ending;
  };

  SupervisorActions advance(TimePoint now);
  void step(TimePoint now);
  void finish();

  void take(TimePoint now);
  void handle(const Exit& exit, TimePoint now);
  void handle(const TryAgain& again, TimePoint now);
  void handle(Asked& asked, TimePoint now);
  void handle(const StopAll& stop, TimePoint now);

  void restart(Place place, TimePoint now);
  Work restart_round(Place place) const;
  Work ending(SupervisorEnded how) const;

  void begin_start(Place place);
  void begin_stop(Place place, TimePoint now);
  void begin_update(Place place);
  void on_start_failed(Place place);
  // The child has no process any more, and is not to have another.
  void settle(Place place);
  void remove(Place place);
  void send_kill(SupervisedChild& child);
  void set_deadline(SupervisedChild& child, TimePoint time);
  void forget_deadline(SupervisedChild& child);

  void ask(Ticket ticket, AddChild& request);
  void ask(Ticket ticket, AddInstance& request);
  void ask(Ticket ticket, StopOne& request);
  void ask(Ticket ticket, RestartOne& request);
  void ask(Ticket ticket, RemoveOne& request);
  void ask(Ticket ticket, UpdateChildren& request);
  void add(Ticket ticket, SupervisedChild child);
  void apply(const Update& update);
  std::vector<SupervisedChild> children_after(const UpdatePlan& plan);
  void follow_template(SupervisedChild& child) const;
  Result<Place> stopped_child(const std::string& id, ErrorCode code, std::string_view runs);
  void answer(Ticket ticket, Result<void> result);
  void cancel(Ticket ticket);
  void refuse_inbox();
  std::string unused_id();
  bool is_simple() const { return strategy_ == Strategy::simple_one_for_one; }

  Incarnations& incarnations_;
  std::string address_;  // its own; empty is the root
  Strategy strategy_;
  const StopOrder order_;
  RestartBudget budget_;
  std::unique_ptr<TreeChild> template_;  // of a simple_one_for_one
  ChildTable children_;

  std::list<Message> inbox_;
  std::unique_ptr<Work> work_;
  std::set<Incarnation> awaited_;                                    // whose reports the work waits for
  OnDemand<std::set<std::pair<TimePoint, Incarnation>>> deadlines_;  // of those that are stopping
  SupervisorActions actions_;
  std::uint64_t added_ = 0;
  bool ended_ = false;
};

}  // namespace petri
