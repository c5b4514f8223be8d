// The children of one supervisor in start order, found by place, by id and by incarnation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "supervisor/supervisor_actions.h"

namespace petri {

// stopped: no process, and none is coming by itself. restarting: no process; its last restart failed and is tried
// again.
enum class ChildStatus { stopped, starting, running, stopping, restarting };
std::string_view name_of(ChildStatus status);

struct SupervisedChild {
  std::shared_ptr<const TreeChild> spec;
  std::shared_ptr<void> charge;  // of AddChild
  ChildStatus status = ChildStatus::stopped;
  Incarnation incarnation = kNoIncarnation;  // while it starts, runs or stops
  bool exited = false;                       // it runs no more, and its supervisor has not come to that news yet
  bool killed = false;                       // it has been sent a KillChild
  std::optional<Clock::TimePoint> stop_by;   // while it stops: when it is killed
  bool started_before = false;
  bool added = false;      // by request, not by the spec of the tree
  bool own_input = false;  // under simple_one_for_one: not the template's

  const std::string& id() const { return spec->id(); }
  bool runs() const { return status == ChildStatus::running && !exited; }
};

class ChildTable {
 public:
  using Place = std::uint64_t;  // grows in start order; stays with a child until it is removed, except over replace()

  // After all others. The id is not in the table.
  Place append(SupervisedChild child);
  void erase(Place place);
  // All children anew, in this order.
  void replace(std::vector<SupervisedChild> children);

  bool has(Place place) const { return children_.contains(place); }
  SupervisedChild& at(Place place) { return children_.at(place); }
  // nullptr when there is none.
  const Place* find_id(std::string_view id) const;
  const Place* find_incarnation(Incarnation incarnation) const;

  // An incarnation belongs to a child from begin() to end(); afterwards its news concern nobody.
  void begin_incarnation(Place place, Incarnation incarnation);
  void end_incarnation(Place place);

  const std::map<Place, SupervisedChild>& all() const { return children_; }
  std::map<Place, SupervisedChild>& all() { return children_; }
  std::size_t size() const { return children_.size(); }
  std::vector<Place> places_from(Place first) const;

 private:
  // Trees, because most tables are tiny and a hash table is not.
  std::map<Place, SupervisedChild> children_;
  std::map<std::string, Place, std::less<>> by_id_;
  std::map<Incarnation, Place> by_incarnation_;
  Place next_ = 1;
};

}  // namespace petri
