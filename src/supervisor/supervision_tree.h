// All supervisors of a sandbox as one: given what processes did, it says which to start and stop.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "supervisor/supervisor.h"

namespace petri {

// Start the process, then report started() or start_failed().
struct StartProcess {
  Incarnation incarnation = kNoIncarnation;
  std::string address;                    // "store", "pool/worker"
  std::shared_ptr<const TreeChild> spec;  // its process() is not null
  bool again = false;                     // it has been started before under this supervisor
};
// Let it end in order (petri_terminate), then report exited(). A time-out comes as KillProcess.
struct StopProcess {
  Incarnation incarnation = kNoIncarnation;
};
// End it at once, whether it starts, runs or is ending, then report exited() or start_failed().
struct KillProcess {
  Incarnation incarnation = kNoIncarnation;
};
// News: the process or supervisor at this address has lost its place.
struct PlaceRemoved {
  std::string address;
};
// News: nobody is at this address until it is started again.
struct PlaceStopped {
  std::string address;
};
// News: a supervisor (the root's address is empty) gives up over this child's end.
struct SupervisorGaveUp {
  std::string supervisor;
  std::string child;
};
struct TreeStarted {};
// Nothing runs any more. Without a TreeStarted before, the tree could not be started.
struct TreeEnded {
  ExitReason reason = ExitReason::shutdown;
  bool gave_up = false;
  std::string failed_child;                         // the address whose start failed, when that is why
  Incarnation failed_incarnation = kNoIncarnation;  // of the process behind it
};
using TreeAction = std::variant<StartProcess, StopProcess, KillProcess, PlaceRemoved, PlaceStopped, SupervisorGaveUp,
                                Answer, TreeStarted, TreeEnded>;
using TreeActions = std::vector<TreeAction>;

// One row of what is in the tree, parents before children, siblings in start order.
struct TreeEntry {
  std::string address;
  std::shared_ptr<const TreeChild> spec;
  ChildStatus status = ChildStatus::stopped;
  Incarnation incarnation = kNoIncarnation;
  bool added = false;  // by request, not by the spec of the tree
};

// "pool/worker" is the child "worker" of the supervisor "pool"; "store" is one of the root, whose address is empty.
std::string address_below(std::string_view supervisor, std::string_view id);
struct ChildAddress {
  std::string supervisor;
  std::string id;
};
ChildAddress split_address(std::string_view address);

// A value without threads or clocks; calls come one at a time and `now` never goes back. Each call answers with what
// there is to do, in order; actions of different supervisors, and several stops in one answer, may be carried out at
// once. Supervisors have no processes of their own: they are here. Reports of incarnations that are past are ignored.
class SupervisionTree {
 public:
  using TimePoint = Clock::TimePoint;

  // The tree has passed validate(). The order is the root's.
  explicit SupervisionTree(const SupervisorSpec& root, StopOrder order = StopOrder::reverse);
  SupervisionTree(const SupervisionTree&) = delete;
  SupervisionTree& operator=(const SupervisionTree&) = delete;

  TreeActions start(TimePoint now);
  TreeActions started(Incarnation process, TimePoint now);
  TreeActions start_failed(Incarnation process, TimePoint now);
  TreeActions exited(Incarnation process, ExitReason reason, TimePoint now);

  // To the supervisor at this address, "" being the root; not_found when none runs there. Tickets are below
  // kTicketMax. What is added has passed validate().
  TreeActions request(Ticket ticket, std::string_view supervisor, Request request, TimePoint now);
  static constexpr Ticket kTicketMax = std::uint64_t{1} << 63;

  // In order, in reverse start order; or everything at once.
  TreeActions stop(TimePoint now);
  TreeActions kill(TimePoint now);

  // When expire() is to be called; asked again after every call.
  std::optional<TimePoint> deadline() const;
  TreeActions expire(TimePoint now);

  std::vector<TreeEntry> entries() const;
  // The child at this address, process or supervisor.
  std::optional<TreeEntry> find(std::string_view address) const;
  // The template that children of the supervisor at this address follow; nullptr unless it runs and is a
  // simple_one_for_one.
  const TreeChild* template_at(std::string_view supervisor) const;
  bool ended() const { return root_->rules.ended(); }

 private:
  // Behind a supervisor that could not be started stands a process that could not.
  struct FailedStart {
    Incarnation supervisor = kNoIncarnation;
    std::string address;
    Incarnation process = kNoIncarnation;
  };
  struct Node {
    Supervisor rules;
    Node* parent = nullptr;
    Incarnation incarnation = kNoIncarnation;  // as a child of its parent
    std::string address;
    bool started = false;
    bool gave_up = false;
    std::optional<TimePoint> deadline;
    OnDemand<FailedStart> last_failure;  // the last child supervisor that could not be started
  };
  struct Step {
    Node* node;
    SupervisorAction action;
  };

  // Takes what a supervisor wants, carries out what concerns other supervisors, and leaves the rest for the answer.
  void dispatch(Node& node, SupervisorActions actions);
  TreeActions settle(TimePoint now);

  void carry_out(Node& node, StartChild& action, TimePoint now);
  void carry_out(Node& node, StopChild& action, TimePoint now);
  void carry_out(Node& node, KillChild& action, TimePoint now);
  void carry_out(Node& node, UpdateChild& action, TimePoint now);
  void carry_out(Node& node, ChildRemoved& action, TimePoint now);
  void carry_out(Node& node, ChildStopped& action, TimePoint now);
  void carry_out(Node& node, GaveUp& action, TimePoint now);
  void carry_out(Node& node, Answer& action, TimePoint now);
  void carry_out(Node& node, SupervisorStarted& action, TimePoint now);
  void carry_out(Node& node, SupervisorEnded& action, TimePoint now);

  void note_deadline(Node& node);
  Node* supervisor_at(std::string_view address) const;
  void list(const Node& node, std::vector<TreeEntry>& entries) const;
  static TreeEntry entry_of(const Node& node, const SupervisedChild& child);
  static std::string address_below(const Node& node, const std::string& id) {
    return petri::address_below(node.address, id);
  }

  Incarnations incarnations_;
  std::unique_ptr<Node> root_;
  OnDemand<std::map<Incarnation, std::unique_ptr<Node>>> supervisors_;  // all but the root
  std::map<Incarnation, Node*> owners_;                                 // of processes
  OnDemand<std::set<std::pair<TimePoint, Node*>>> deadlines_;
  std::vector<Step> steps_;  // not yet carried out
  TreeActions actions_;
};

}  // namespace petri
