#include "supervisor/child_table.h"

#include "base/assert.h"
#include "base/name_table.h"

namespace petri {
namespace {

constexpr NameTable<5> kStatuses = {"stopped", "starting", "running", "stopping", "restarting"};

}  // namespace

std::string_view name_of(ChildStatus status) { return name_in(kStatuses, status); }

ChildTable::Place ChildTable::append(SupervisedChild child) {
  const Place place = next_++;
  const bool is_new = by_id_.emplace(child.id(), place).second;
  PETRI_ASSERT(is_new);
  if (child.incarnation != kNoIncarnation) by_incarnation_.emplace(child.incarnation, place);
  children_.emplace(place, std::move(child));
  return place;
}

void ChildTable::erase(Place place) {
  end_incarnation(place);
  by_id_.erase(at(place).id());
  children_.erase(place);
}

void ChildTable::replace(std::vector<SupervisedChild> children) {
  children_.clear();
  by_id_.clear();
  by_incarnation_.clear();
  for (SupervisedChild& child : children) append(std::move(child));
}

const ChildTable::Place* ChildTable::find_id(std::string_view id) const {
  const auto found = by_id_.find(id);
  return found == by_id_.end() ? nullptr : &found->second;
}

const ChildTable::Place* ChildTable::find_incarnation(Incarnation incarnation) const {
  const auto found = by_incarnation_.find(incarnation);
  return found == by_incarnation_.end() ? nullptr : &found->second;
}

void ChildTable::begin_incarnation(Place place, Incarnation incarnation) {
  at(place).incarnation = incarnation;
  by_incarnation_.emplace(incarnation, place);
}

void ChildTable::end_incarnation(Place place) {
  SupervisedChild& child = at(place);
  by_incarnation_.erase(child.incarnation);
  child.incarnation = kNoIncarnation;
  child.exited = false;
  child.killed = false;
}

std::vector<ChildTable::Place> ChildTable::places_from(Place first) const {
  std::vector<Place> places;
  for (auto child = children_.lower_bound(first); child != children_.end(); ++child) places.push_back(child->first);
  return places;
}

}  // namespace petri
