#include "sandbox/trees/child_verbs.h"

#include <utility>

#include "sandbox/calls/deadlock.h"
#include "sandbox/trees/child_room.h"

namespace petri {

// Between the two looks somebody may have destroyed it.
Result<Trees::RunnerPtr> ChildVerbs::tree() const {
  PETRI_TRY(parts_.standing.must_run());
  Trees::RunnerPtr tree = parts_.trees.tree();
  if (tree == nullptr) PETRI_TRY(parts_.standing.must_exist());
  return tree;
}

Result<void> ChildVerbs::start_child(const TreeChild& child, std::string_view supervisor) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(const auto tree, this->tree());
  PETRI_TRY(validate(SupervisorSpec{.children = {child}}, parts_.modules.names()));
  PETRI_TRY(check_budget(parts_.budget));
  PETRI_TRY(auto held, must_have_room_for(parts_.account, child));
  PETRI_TRY(tree->request(supervisor, AddChild{child, std::move(held)}));
  return {};
}

// A name that the supervisor chose may be one that a guest chose, too: the next is another.
Result<std::string> ChildVerbs::start_instance(const InstanceSpec& instance, std::string_view supervisor) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(const auto tree, this->tree());
  PETRI_TRY(check_budget(parts_.budget));
  for (;;) {
    PETRI_TRY(AddInstance request, instance_request(parts_.account, *tree, instance, supervisor));
    auto started = tree->request(supervisor, std::move(request));
    const bool taken = !started && started.error().detail("cause") == name_of(ErrorCode::already_exists);
    if (!taken || !instance.id.empty()) return started;
  }
}

// A child that a guest spawned is in the second tree, and loses its place there.
Result<void> ChildVerbs::stop_child(std::string_view address) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(const auto tree, this->tree());
  PETRI_TRY(may_wait_here(parts_.owner, {address}, "end the child", address));
  const auto [supervisor, id] = split_address(address);
  auto stopped = tree->request(supervisor, StopOne{id});
  if (stopped) return {};
  const auto dynamic = supervisor.empty() ? parts_.trees.dynamic() : nullptr;
  if (dynamic == nullptr || stopped.error().code != ErrorCode::not_found) return fail(std::move(stopped.error()));
  PETRI_TRY(dynamic->request("", StopOne{id}));
  return {};
}

Result<void> ChildVerbs::restart_child(std::string_view address) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(const auto tree, this->tree());
  PETRI_TRY(may_wait_here(parts_.owner, {address}, "end the child", address));
  PETRI_TRY(check_budget(parts_.budget));
  const auto [supervisor, id] = split_address(address);
  PETRI_TRY(tree->request(supervisor, RestartOne{id}));
  return {};
}

Result<void> ChildVerbs::remove_child(std::string_view address) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(const auto tree, this->tree());
  PETRI_TRY(may_wait_here(parts_.owner, {address}, "end the child", address));
  const auto [supervisor, id] = split_address(address);
  PETRI_TRY(tree->request(supervisor, RemoveOne{id}));
  return {};
}

Result<void> ChildVerbs::update_tree(const SupervisorSpec& wanted) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(const auto tree, this->tree());
  PETRI_TRY(may_wait_here(parts_.owner, {}, "change the tree of the sandbox", parts_.sandbox));
  PETRI_TRY(validate(wanted, parts_.modules.names()));
  PETRI_TRY(tree->request("", UpdateChildren{wanted}));
  parts_.spec.set(wanted);
  return {};
}

}  // namespace petri
