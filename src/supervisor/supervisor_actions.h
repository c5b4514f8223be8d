// Requests to a supervisor and the actions it wants: the words between the rules and the code that carries them out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "petri/result.h"
#include "petri/tree.h"
#include "supervisor/exit_reason.h"

namespace petri {

// Names one start of one child, as a pid does. Never used twice in a tree.
using Incarnation = std::uint64_t;
constexpr Incarnation kNoIncarnation = 0;
// Names a request, chosen by who makes it.
using Ticket = std::uint64_t;

// Requests, each answered once with its ticket. ------------------------------------------------------------------

// Starts a child that is not in the tree yet, after all that are. Not for simple_one_for_one.
struct AddChild {
  TreeChild child;
  std::shared_ptr<void> charge;  // held for as long as the child has its place: what its spec takes, on an account
};
// Starts one more child after the template of a simple_one_for_one.
struct AddInstance {
  InstanceSpec instance;
  std::shared_ptr<void> charge;  // as of AddChild
};
// Stops a child. It keeps its place, and may be started again: by RestartOne, or together with a sibling that crashed
// under one_for_all or rest_for_one. One that is temporary, or follows a template, is removed.
struct StopOne {
  std::string id;
};
// Starts a child that does not run.
struct RestartOne {
  std::string id;
};
// Removes a child that does not run.
struct RemoveOne {
  std::string id;
};
// Changes the children to those of another spec; see plan_update().
struct UpdateChildren {
  SupervisorSpec spec;
};
using Request = std::variant<AddChild, AddInstance, StopOne, RestartOne, RemoveOne, UpdateChildren>;

// Actions. -------------------------------------------------------------------------------------------------------

// Start the child, then report started() or start_failed(). `again` when this child has been started before.
struct StartChild {
  Incarnation incarnation = kNoIncarnation;
  std::shared_ptr<const TreeChild> spec;
  bool again = false;
};
// Let the child end in order, then report exited(). It has all the time it takes: a time-out comes as KillChild.
struct StopChild {
  Incarnation incarnation = kNoIncarnation;
};
// End the child at once, whether it starts, runs or is ending, then report exited(), or start_failed().
struct KillChild {
  Incarnation incarnation = kNoIncarnation;
};
// The child is a supervisor: hand it UpdateChildren, then report updated().
struct UpdateChild {
  Incarnation incarnation = kNoIncarnation;
  std::shared_ptr<const TreeChild> spec;
};
// News: the child has lost its place.
struct ChildRemoved {
  std::string id;
};
// News: the child has ended and keeps its place, where nobody is until it is started again.
struct ChildStopped {
  std::string id;
};
// News: this child's end asked for one restart too many, so all the others are stopped next.
struct GaveUp {
  std::string child;
};
struct Answer {
  Ticket ticket = 0;
  Result<void> result;
  Incarnation incarnation = kNoIncarnation;  // of the last start it asked for, whether that went well or not
  std::vector<std::string> failed;           // the children that could not be started
  std::string added;                         // the id of the child that was added; in a tree its address
};
// All children have been started.
struct SupervisorStarted {};
// Nothing of it runs any more. Without a SupervisorStarted before, it could not be started.
struct SupervisorEnded {
  ExitReason reason = ExitReason::shutdown;
  std::string failed_child;                         // whose start failed; empty when that is not why
  Incarnation failed_incarnation = kNoIncarnation;  // that start
};
using SupervisorAction = std::variant<StartChild, StopChild, KillChild, UpdateChild, ChildRemoved, ChildStopped, GaveUp,
                                      Answer, SupervisorStarted, SupervisorEnded>;
using SupervisorActions = std::vector<SupervisorAction>;

}  // namespace petri
