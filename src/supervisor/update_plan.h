// Plans what happens to the children of a live supervisor when its spec changes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "petri/tree.h"

namespace petri {

enum class ChildChange {
  keep,     // its process continues; a new restart type or shutdown holds from now on
  update,   // a supervisor that stays and changes below
  replace,  // stopped, then started after its new spec
  start,    // new
};

struct PlannedChild {
  std::shared_ptr<const TreeChild> spec;
  ChildChange change = ChildChange::keep;
  bool added = false;
};

// The order of the work: first everything in `stop`, then updates, then starts, both in the order of `children`.
struct UpdatePlan {
  std::vector<std::string> stop;       // the last started first: those replaced and those that are no more
  std::vector<PlannedChild> children;  // all that there are afterwards, in their new start order
};

struct PresentChild {
  std::shared_ptr<const TreeChild> spec;
  bool added = false;  // by request, not by the spec of the tree
};

// A process is the same as long as its module and input are; a supervisor as long as it stays one. Children added by
// request that the new spec does not name stay, after all others. The template of a simple_one_for_one can change
// under its children, who continue; from or to any other strategy none stays.
UpdatePlan plan_update(Strategy strategy, std::span<const PresentChild> present, const SupervisorSpec& wanted);
// As above, for a tree in which nothing was added.
UpdatePlan plan_update(const SupervisorSpec& present, const SupervisorSpec& wanted);

}  // namespace petri
