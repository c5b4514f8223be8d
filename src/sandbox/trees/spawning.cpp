#include "sandbox/trees/spawning.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "host/guest/held_bytes.h"
#include "host/host_call.h"
#include "sandbox/trees/child_room.h"

namespace petri {
namespace {

// The most that reading a spec takes: a string that doubles its room while it grows, and its copy in the child's spec.
constexpr std::uint64_t kParsedBytesPerByte = 4;
// The limit that `spawn` documents, as far as a message may be as long.
constexpr std::uint64_t kSpecBytesMax = std::uint64_t{1} << 20;

std::string address_of(const SpawnSpec& spec) {
  if (const auto* pool = std::get_if<PoolInstance>(&spec)) return address_below(pool->supervisor, pool->instance.id);
  return std::get<ChildSpec>(spec).id;
}

// The tree's. A child that the guest itself does not wait for any more may start all the same.
bool is_answer(const Error& error) {
  const bool gave_up = error.code == ErrorCode::timeout || error.code == ErrorCode::cancelled;
  return !gave_up || error.detail("component") == "supervisor";
}

GuestError guest_error_of_spawn(ErrorCode code) {
  switch (code) {
    case ErrorCode::parse_failed:
    case ErrorCode::validation_failed:
    case ErrorCode::rejected: return GuestError::invalid;
    case ErrorCode::not_found: return GuestError::not_found;
    case ErrorCode::already_exists: return GuestError::already_exists;
    case ErrorCode::too_large: return GuestError::too_large;
    case ErrorCode::limit_exceeded: return GuestError::limit_exceeded;
    case ErrorCode::busy: return GuestError::busy;
    case ErrorCode::deadlock: return GuestError::deadlock;
    case ErrorCode::timeout: return GuestError::timeout;
    default: return GuestError::cancelled;
  }
}

GuestError guest_error_of_stop(ErrorCode code) {
  switch (code) {
    case ErrorCode::deadlock: return GuestError::deadlock;
    case ErrorCode::timeout: return GuestError::timeout;
    case ErrorCode::cancelled: return GuestError::cancelled;
    default: return GuestError::not_found;
  }
}

// A request to a tree that waits for the guest itself would never be done.
Result<void> must_not_wait_for(const Process& by, const TreeRunner& tree) {
  if (!tree.is_starting(by)) return {};
  return fail(ErrorCode::deadlock, "the tree waits until this process has started");
}

}  // namespace

std::int32_t Spawning::spawn(Process& by, HostCall& call, std::string_view spec) const {
  const auto started = start(by, call, spec);
  return started ? 0 : static_cast<std::int32_t>(guest_error_of_spawn(started.error().code));
}

std::int32_t Spawning::stop_child(Process& by, std::string_view name) const {
  if (by.name() == name) return static_cast<std::int32_t>(GuestError::not_now);
  const auto stopped = stop(by, name);
  return stopped ? 0 : static_cast<std::int32_t>(guest_error_of_stop(stopped.error().code));
}

Result<void> Spawning::start(Process& by, HostCall& call, std::string_view spec) const {
  PETRI_TRY(SpawnSpec child, read(by, call, spec));
  const std::string address = address_of(child);
  PETRI_TRY(must_be_free(parts_.trees, parts_.processes, address));
  PETRI_TRY(must_have_room(by));
  auto planned = plan(std::move(child));
  if (!planned && planned.error().code == ErrorCode::limit_exceeded) {
    by.calls().note_met("memory_bytes_max", parts_.account->taken() + spec.size(), parts_.account->allowed());
  }
  if (!planned) return fail(std::move(planned.error()));
  PETRI_TRY(parts_.processes.reserve(by, address, planned->where));
  return ask_for_child(by, *std::move(planned), address);
}

// A spec is a message to the sandbox, and no longer than one may be.
Result<SpawnSpec> Spawning::read(Process& by, HostCall& call, std::string_view spec) const {
  const std::uint64_t bytes_max = std::min<std::uint64_t>(parts_.account->message_bytes_max(), kSpecBytesMax);
  if (spec.size() > bytes_max) {
    by.calls().note_met("message_bytes_max", spec.size(), bytes_max);
    return fail(ErrorCode::too_large, "the spec of a child is longer than a message may be");
  }
  if (!call.charge(spec.size())) return fail(ErrorCode::cancelled, "the guest has ended");
  HeldBytes while_parsing;
  if (!while_parsing.try_add(call.context, kParsedBytesPerByte * spec.size())) {
    return fail(ErrorCode::limit_exceeded, "memory_bytes_max leaves no room to read the spec of a child");
  }
  auto child = parse_spawned(spec, bytes_max, [&call] { return call.look(); });
  if (!child) return fail(ErrorCode::parse_failed, std::move(child.error().message));
  if (const auto* own = std::get_if<ChildSpec>(&*child)) {
    PETRI_TRY(validate(SupervisorSpec{.children = {*own}}, parts_.modules.names()));
  }
  return child;
}

Result<void> Spawning::must_have_room(Process& by) const {
  const std::uint64_t processes = parts_.account->processes(), allowed = parts_.account->limits()->processes_max;
  if (processes >= allowed) {
    by.calls().note_met("processes_max", processes + 1, allowed);
    return fail(ErrorCode::limit_exceeded, "processes_max allows no more processes");
  }
  return check_budget(parts_.budget);
}

// A child of its own kind goes into the second tree, one after a template to the supervisor that has it.
Result<Spawning::Plan> Spawning::plan(SpawnSpec spec) const {
  if (auto* pool = std::get_if<PoolInstance>(&spec)) {
    auto tree = parts_.trees.tree();
    PETRI_TRY(AddInstance request, instance_request(parts_.account, *tree, pool->instance, pool->supervisor));
    return Plan{ProcessTable::Where::pool, std::move(tree), std::move(pool->supervisor), std::move(request)};
  }
  auto tree = parts_.trees.for_spawned();
  if (tree == nullptr) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  TreeChild child(std::get<ChildSpec>(std::move(spec)));
  PETRI_TRY(auto held, must_have_room_for(parts_.account, child));
  return Plan{ProcessTable::Where::dynamic, std::move(tree), {}, AddChild{std::move(child), std::move(held)}};
}

// The name is free again when the child was not started, also where that is known only after the guest gave up.
Result<void> Spawning::ask_for_child(Process& by, Plan plan, const std::string& address) const {
  const auto answer = std::make_shared<Reply>();
  const auto settle = [kept = parts_.services.keep_alive(), &processes = parts_.processes, answer,
                       address](Result<Outcome> how) {
    const bool refused = !how;
    if (!answer->give(std::move(how)) && refused) processes.release(address);
  };
  if (auto waits = must_not_wait_for(by, *plan.tree); !waits) {
    parts_.processes.release(address);
    return waits;
  }
  plan.tree->ask(plan.supervisor, std::move(plan.request), std::make_shared<Reply>(settle));
  const auto started = by.calls().wait_for(answer, std::nullopt);
  if (started) return {};
  // One that was ended before it waited has left the answer as it is.
  const auto late = answer->abandon() ? std::nullopt : answer->wait_until({});
  if (is_answer(started.error()) || (late && !*late)) parts_.processes.release(address);
  return fail(started.error());
}

Result<void> Spawning::stop(Process& by, std::string_view name) const {
  const auto where = parts_.processes.where_spawned(name);
  const auto tree = !where                                ? nullptr
                    : *where == ProcessTable::Where::pool ? parts_.trees.tree()
                                                          : parts_.trees.dynamic();
  if (tree == nullptr) return fail(ErrorCode::not_found, "no guest has spawned a child of that name");
  PETRI_TRY(must_not_wait_for(by, *tree));
  const auto [supervisor, id] = split_address(name);
  const auto reply = std::make_shared<Reply>();
  tree->ask(supervisor, StopOne{id}, reply);
  PETRI_TRY(by.calls().wait_for(reply, std::nullopt));
  return {};
}

// Names of the spec's tree are taken before its children have started, and those of its supervisors too.
Result<void> must_be_free(const Trees& trees, const ProcessTable& processes, const std::string& address) {
  const Trees::RunnerPtr own = trees.tree();
  if (own != nullptr && own->has(address)) {
    return fail(ErrorCode::already_exists, "the tree of the sandbox has a child of that name already");
  }
  return processes.must_be_free(address);
}

}  // namespace petri
