// The tree of a sandbox, changed by the host while it lives.
#include <fmt/format.h>

#include <algorithm>

#include "base/escape.h"
#include "base/heap_bytes.h"
#include "base/ids.h"
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// What the spec of a child takes in its supervisor's table.
std::uint64_t bytes_of(const TreeChild& child) {
  constexpr std::uint64_t kEntry = 640;
  std::uint64_t bytes = kEntry + 3 * heap_bytes(child.id());
  if (const ChildSpec* process = child.process())
    return bytes + heap_bytes(process->module) + heap_bytes(process->input);
  for (const TreeChild& below : child.supervisor()->children) bytes += bytes_of(below);
  return bytes;
}

}  // namespace

std::shared_ptr<TreeRunner> SandboxCore::tree() const {
  MutexLock lock(mutex_);
  return tree_;
}

std::shared_ptr<TreeRunner> SandboxCore::dynamic_tree() const {
  MutexLock lock(mutex_);
  return dynamic_;
}

std::vector<std::shared_ptr<TreeRunner>> SandboxCore::trees() const {
  MutexLock lock(mutex_);
  std::vector<std::shared_ptr<TreeRunner>> present{tree_, dynamic_};
  std::erase(present, nullptr);
  return present;
}

Result<void> SandboxCore::start_child(const TreeChild& child, std::string_view supervisor) {
  const Operation operation(operation_);
  PETRI_TRY(must_run());
  PETRI_TRY(validate(SupervisorSpec{.children = {child}}, modules_.names()));
  PETRI_TRY(check_budget(services_.budget));
  PETRI_TRY(auto charge, must_have_room_for(child));
  PETRI_TRY(tree()->request(supervisor, AddChild{child, std::move(charge)}));
  return {};
}

// What it takes is known from the template. Where there is none the supervisor says so.
Result<AddInstance> SandboxCore::instance_request(const TreeRunner& tree, const InstanceSpec& instance,
                                                  std::string_view supervisor) {
  if (!instance.id.empty() && !is_sandbox_id(instance.id)) {
    return fail(ErrorCode::validation_failed,
                fmt::format("\"{}\" cannot be the id of a child: an id has 1 to {} letters, digits, \"_\" or \"-\" and "
                            "starts with a letter or digit",
                            escape_text(instance.id, kSandboxIdBytesMax), kSandboxIdBytesMax));
  }
  const auto follows = tree.template_at(supervisor);
  if (!follows) return AddInstance{instance, nullptr};
  TreeChild child = *follows;
  if (child.process() && instance.input) {
    ChildSpec own = *child.process();
    own.input = *instance.input;
    child = std::move(own);
  }
  PETRI_TRY(auto charge, must_have_room_for(child));
  return AddInstance{instance, std::move(charge)};
}

// A name that the supervisor chose may be one that a guest chose, too: the next is another.
Result<std::string> SandboxCore::start_instance(const InstanceSpec& instance, std::string_view supervisor) {
  const Operation operation(operation_);
  PETRI_TRY(must_run());
  PETRI_TRY(check_budget(services_.budget));
  for (;;) {
    const auto target = tree();
    PETRI_TRY(AddInstance request, instance_request(*target, instance, supervisor));
    auto started = target->request(supervisor, std::move(request));
    const bool taken = !started && started.error().detail("cause") == name_of(ErrorCode::already_exists);
    if (!taken || !instance.id.empty()) return started;
  }
}

// A child that a guest spawned is in the second tree, and loses its place there.
Result<void> SandboxCore::stop_child(std::string_view address) {
  const Operation operation(operation_);
  PETRI_TRY(must_run());
  PETRI_TRY(may_end_here(address));
  const auto [supervisor, id] = split_address(address);
  auto stopped = tree()->request(supervisor, StopOne{id});
  if (stopped) return {};
  const auto dynamic = supervisor.empty() ? dynamic_tree() : nullptr;
  if (dynamic == nullptr || stopped.error().code != ErrorCode::not_found) return fail(std::move(stopped.error()));
  PETRI_TRY(dynamic->request("", StopOne{id}));
  return {};
}

Result<void> SandboxCore::restart_child(std::string_view address) {
  const Operation operation(operation_);
  PETRI_TRY(must_run());
  PETRI_TRY(may_end_here(address));
  PETRI_TRY(check_budget(services_.budget));
  const auto [supervisor, id] = split_address(address);
  PETRI_TRY(tree()->request(supervisor, RestartOne{id}));
  return {};
}

Result<void> SandboxCore::remove_child(std::string_view address) {
  const Operation operation(operation_);
  PETRI_TRY(must_run());
  PETRI_TRY(may_end_here(address));
  const auto [supervisor, id] = split_address(address);
  PETRI_TRY(tree()->request(supervisor, RemoveOne{id}));
  return {};
}

Result<void> SandboxCore::update_tree(const SupervisorSpec& wanted) {
  const Operation operation(operation_);
  PETRI_TRY(must_run());
  if (const Inside* waits = inside({})) return would_wait_for(*waits, "change the tree of the sandbox " + id());
  PETRI_TRY(validate(wanted, modules_.names()));
  PETRI_TRY(tree()->request("", UpdateChildren{wanted}));
  MutexLock lock(mutex_);
  tree_spec_ = std::make_unique<SupervisorSpec>(wanted);
  return {};
}

Result<std::shared_ptr<void>> SandboxCore::must_have_room_for(const TreeChild& child) {
  auto charge = charge_for_bytes(bytes_of(child));
  if (charge == nullptr) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("memory_bytes_max leaves no room for the spec of the child {}", child.id()));
  }
  return charge;
}

std::shared_ptr<void> SandboxCore::charge_for_bytes(std::uint64_t bytes) {
  if (!account_.try_hold(bytes)) return nullptr;
  return {this, [account = shared_account_, bytes](void*) { account->let_go(bytes); }};
}

}  // namespace petri
