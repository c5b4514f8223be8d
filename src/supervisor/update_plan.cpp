#include "supervisor/update_plan.h"

#include <ranges>
#include <string_view>
#include <unordered_map>

namespace petri {
namespace {

bool is_simple(Strategy strategy) { return strategy == Strategy::simple_one_for_one; }

ChildChange change_between(const TreeChild& present, const TreeChild& wanted) {
  if (present.process() && wanted.process()) {
    const bool same =
        present.process()->module == wanted.process()->module && present.process()->input == wanted.process()->input;
    return same ? ChildChange::keep : ChildChange::replace;
  }
  if (!present.supervisor() || !wanted.supervisor()) return ChildChange::replace;
  return present == wanted ? ChildChange::keep : ChildChange::update;
}

// Another kind of strategy: everything that is there goes, everything that is wanted comes.
UpdatePlan start_over(std::span<const PresentChild> present, const SupervisorSpec& wanted) {
  UpdatePlan plan;
  for (const PresentChild& child : std::views::reverse(present)) plan.stop.push_back(child.spec->id());
  if (is_simple(wanted.strategy)) return plan;
  for (const TreeChild& child : wanted.children) {
    plan.children.push_back({.spec = std::make_shared<const TreeChild>(child), .change = ChildChange::start});
  }
  return plan;
}

UpdatePlan keep_all(std::span<const PresentChild> present) {
  UpdatePlan plan;
  for (const PresentChild& child : present) plan.children.push_back({.spec = child.spec, .added = child.added});
  return plan;
}

using PresentById = std::unordered_map<std::string_view, const PresentChild*>;

PlannedChild planned(const TreeChild& wanted, const PresentById& present) {
  PlannedChild child{.spec = std::make_shared<const TreeChild>(wanted), .change = ChildChange::start};
  const auto found = present.find(wanted.id());
  if (found != present.end()) child.change = change_between(*found->second->spec, wanted);
  return child;
}

}  // namespace

UpdatePlan plan_update(Strategy strategy, std::span<const PresentChild> present, const SupervisorSpec& wanted) {
  if (is_simple(strategy) != is_simple(wanted.strategy)) return start_over(present, wanted);
  if (is_simple(strategy)) return keep_all(present);

  PresentById by_id;
  for (const PresentChild& child : present) by_id.emplace(child.spec->id(), &child);
  UpdatePlan plan;
  std::unordered_map<std::string_view, ChildChange> wanted_ids;
  for (const TreeChild& child : wanted.children) {
    plan.children.push_back(planned(child, by_id));
    wanted_ids.emplace(child.id(), plan.children.back().change);
  }
  for (const PresentChild& child : std::views::reverse(present)) {
    const auto found = wanted_ids.find(child.spec->id());
    const bool goes = found == wanted_ids.end() ? !child.added : found->second == ChildChange::replace;
    if (goes) plan.stop.push_back(child.spec->id());
  }
  for (const PresentChild& child : present) {
    if (child.added && !wanted_ids.contains(child.spec->id()))
      plan.children.push_back({.spec = child.spec, .added = true});
  }
  return plan;
}

UpdatePlan plan_update(const SupervisorSpec& present, const SupervisorSpec& wanted) {
  std::vector<PresentChild> children;
  if (!is_simple(present.strategy)) {
    for (const TreeChild& child : present.children)
      children.push_back({.spec = std::make_shared<const TreeChild>(child)});
  }
  return plan_update(present.strategy, children, wanted);
}

}  // namespace petri
