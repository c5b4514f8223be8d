#include "sandbox/processes/spawned_children.h"

namespace petri {

void SpawnedChildren::remove(std::string_view address) {
  if (const auto found = children_.find(address); found != children_.end()) children_.erase(found);
}

const SpawnedChildren::Child* SpawnedChildren::find(std::string_view address) const {
  const auto found = children_.find(address);
  return found == children_.end() ? nullptr : &found->second;
}

bool SpawnedChildren::is_dynamic(std::string_view address) const {
  const Child* const child = find(address);
  return child != nullptr && child->where == Where::dynamic;
}

std::vector<std::string> SpawnedChildren::dynamic() const {
  std::vector<std::string> addresses;
  for (const auto& [address, child] : children_) {
    if (child.where == Where::dynamic) addresses.push_back(address);
  }
  return addresses;
}

void SpawnedChildren::exited(std::string_view address, const Result<Outcome>& how) {
  if (const auto found = children_.find(address); found != children_.end()) found->second.exited = child_exit_of(how);
}

std::optional<SpawnedChildren::Notice> SpawnedChildren::started(std::string_view address) {
  const auto found = children_.find(address);
  if (found == children_.end()) return std::nullopt;
  Child& child = found->second;
  child.started = true;
  if (!child.exited) return std::nullopt;
  auto report = notice(found->first, child, true);
  child.exited.reset();
  return report;
}

std::optional<SpawnedChildren::Notice> SpawnedChildren::gone(std::string_view address) {
  const auto found = children_.find(address);
  if (found == children_.end()) return std::nullopt;
  const auto child = children_.extract(found);
  return child.mapped().started ? notice(child.key(), child.mapped(), false) : std::nullopt;
}

std::optional<SpawnedChildren::Notice> SpawnedChildren::notice(const std::string& address, const Child& child,
                                                               bool runs_again) {
  ProcessPtr parent = child.parent.lock();
  if (parent == nullptr) return std::nullopt;
  return Notice{std::move(parent), child_exit_message(child.exited.value_or(ChildExit{}), address, runs_again)};
}

}  // namespace petri
