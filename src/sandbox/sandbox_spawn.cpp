// Children that guests ask for.
#include <fmt/format.h>

#include <algorithm>

#include "host/held_bytes.h"
#include "host/host_call.h"
#include "sandbox/sandbox_core.h"

namespace petri {
namespace {

// What reading a spec takes at most: a string that doubles its room while it grows, and its copy in the child's spec.
constexpr std::uint64_t kParsedBytesPerByte = 4;

std::string address_of(const SpawnSpec& spec) {
  if (const auto* pool = std::get_if<PoolInstance>(&spec)) return address_below(pool->supervisor, pool->instance.id);
  return std::get<ChildSpec>(spec).id;
}

// Of the tree. A child that the guest itself does not wait for any more may start all the same.
bool is_answer(const Error& error) {
  const bool gave_up = error.code == ErrorCode::timeout || error.code == ErrorCode::cancelled;
  return !gave_up || error.detail("component") == "supervisor";
}

}  // namespace

// Most sandboxes never spawn, and do without the second tree, whose children may crash as often as those of the spec's
// root. Nothing when everything is being ended.
std::shared_ptr<TreeRunner> SandboxCore::tree_for_spawned() {
  SupervisorSpec root;
  {
    MutexLock lock(mutex_);
    if (runs_.stop_requested()) return nullptr;  // a guest that goes on spawning would keep the tree from its end
    if (dynamic_ != nullptr) return dynamic_;
    const SupervisorSpec own = tree_spec();
    root = {.intensity = own.intensity, .period = own.period};
  }
  auto made = std::make_shared<TreeRunner>(*this, root, StopOrder::together);
  if (!made->start()) return nullptr;
  MutexLock lock(mutex_);
  if (runs_.stop_requested()) return nullptr;
  if (dynamic_ == nullptr) dynamic_ = std::move(made);
  return dynamic_;
}

// A spec is a message to the sandbox, and no longer than one may be; 1 MiB is what `spawn` documents.
std::uint64_t SandboxCore::spec_bytes_max() const {
  return std::min<std::uint64_t>(account_.message_bytes_max(), std::uint64_t{1} << 20);
}

Result<SpawnSpec> SandboxCore::read_spawned(Process& by, HostCall& call, std::string_view spec) const {
  const std::uint64_t bytes_max = spec_bytes_max();
  if (spec.size() > bytes_max) {
    by.note_met("message_bytes_max", spec.size(), bytes_max);
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
    PETRI_TRY(validate(SupervisorSpec{.children = {*own}}, modules_.names()));
  }
  return child;
}

// A child of its own kind goes into the second tree, one after a template to the supervisor that has it.
Result<SandboxCore::Spawning> SandboxCore::plan_spawn(SpawnSpec spec) {
  if (auto* pool = std::get_if<PoolInstance>(&spec)) {
    auto target = tree();
    PETRI_TRY(AddInstance request, instance_request(*target, pool->instance, pool->supervisor));
    return Spawning{SpawnedChildren::Where::pool, std::move(target), std::move(pool->supervisor), std::move(request)};
  }
  auto target = tree_for_spawned();
  if (target == nullptr) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  TreeChild child(std::get<ChildSpec>(std::move(spec)));
  PETRI_TRY(auto charge, must_have_room_for(child));
  return Spawning{
      SpawnedChildren::Where::dynamic, std::move(target), {}, AddChild{std::move(child), std::move(charge)}};
}

// Names of the spec's tree are taken before its children have started, and those of its supervisors too.
Result<void> SandboxCore::must_be_free(const std::string& address) const {
  const std::shared_ptr<TreeRunner> own = tree();
  if (own != nullptr && own->has(address)) {
    return fail(ErrorCode::already_exists, "the tree of the sandbox has a child of that name already");
  }
  MutexLock lock(mutex_);
  return must_be_free_now(address);
}

Result<void> SandboxCore::must_be_free_now(const std::string& address) const {
  if (!processes_.contains(address) && spawned_.find(address) == nullptr) return {};
  return fail(ErrorCode::already_exists, "there is a process of that name already");
}

// From now on nobody else gets the name.
Result<void> SandboxCore::reserve(Process& by, const std::string& address, SpawnedChildren::Where where) {
  MutexLock lock(mutex_);
  PETRI_TRY(must_be_free_now(address));
  spawned_.add(address, {.parent = by.weak_from_this(), .where = where});
  return {};
}

void SandboxCore::release_name(const std::string& address) {
  MutexLock lock(mutex_);
  spawned_.remove(address);
}

// Bounded and charged as any message is; when it does not fit, limit.met says so. A sandbox that ends tells nobody.
void SandboxCore::notify_parent(std::optional<SpawnedChildren::Notice> notice) {
  if (!notice || !notice->parent->takes_messages() || !must_run()) return;
  static_cast<void>(notice->parent->post(std::move(notice->message)));
}

Result<void> SandboxCore::must_have_room_to_spawn(Process& by) const {
  const std::uint64_t processes = account_.processes(), allowed = account_.limits()->processes_max;
  if (processes >= allowed) {
    by.note_met("processes_max", processes + 1, allowed);
    return fail(ErrorCode::limit_exceeded, "processes_max allows no more processes");
  }
  return check_budget(services_.budget);
}

Result<void> SandboxCore::spawn_child(Process& by, HostCall& call, std::string_view spec) {
  PETRI_TRY(SpawnSpec child, read_spawned(by, call, spec));
  const std::string address = address_of(child);
  PETRI_TRY(must_be_free(address));
  PETRI_TRY(must_have_room_to_spawn(by));
  auto planned = plan_spawn(std::move(child));
  if (!planned && planned.error().code == ErrorCode::limit_exceeded) {
    by.note_met("memory_bytes_max", account_.taken() + spec.size(), account_.allowed());
  }
  if (!planned) return fail(std::move(planned.error()));
  PETRI_TRY(reserve(by, address, planned->where));
  return start_spawned_child(by, *std::move(planned), address);
}

// The name is free again when the child was not started, also where that is known only after the guest gave up.
Result<void> SandboxCore::start_spawned_child(Process& by, Spawning planned, const std::string& address) {
  const auto answer = std::make_shared<Reply>();
  const auto settle = [self = shared_from_this(), answer, address](Result<Outcome> how) {
    const bool refused = !how;
    if (!answer->give(std::move(how)) && refused) self->release_name(address);
  };
  if (planned.tree->is_starting(by)) {
    release_name(address);
    return fail(ErrorCode::deadlock, "the tree waits until this process has started");
  }
  planned.tree->ask(planned.supervisor, std::move(planned.request), std::make_shared<Reply>(settle));
  const auto started = by.wait_for(answer, std::nullopt);
  if (started) return {};
  // One that was ended before it waited has left the answer as it is.
  const auto late = answer->abandon() ? std::nullopt : answer->wait_until({});
  if (is_answer(started.error()) || (late && !*late)) release_name(address);
  return fail(started.error());
}

std::int32_t SandboxCore::spawn(Process& by, HostCall& call, std::string_view spec) {
  const auto started = spawn_child(by, call, spec);
  if (started) return 0;
  const auto answer = [](GuestError error) { return static_cast<std::int32_t>(error); };
  switch (started.error().code) {
    case ErrorCode::parse_failed:
    case ErrorCode::validation_failed:
    case ErrorCode::rejected: return answer(GuestError::invalid);
    case ErrorCode::not_found: return answer(GuestError::not_found);
    case ErrorCode::already_exists: return answer(GuestError::already_exists);
    case ErrorCode::too_large: return answer(GuestError::too_large);
    case ErrorCode::limit_exceeded: return answer(GuestError::limit_exceeded);
    case ErrorCode::busy: return answer(GuestError::busy);
    case ErrorCode::deadlock: return answer(GuestError::deadlock);
    case ErrorCode::timeout: return answer(GuestError::timeout);
    default: return answer(GuestError::cancelled);
  }
}

// What a guest asks of a tree that waits for the guest itself would never be done.
Result<void> SandboxCore::ask_for(Process& by, TreeRunner& tree, std::string_view supervisor, Request request) const {
  if (tree.is_starting(by)) return fail(ErrorCode::deadlock, "the tree waits until this process has started");
  const auto reply = std::make_shared<Reply>();
  tree.ask(supervisor, std::move(request), reply);
  PETRI_TRY(by.wait_for(reply, std::nullopt));
  return {};
}

Result<void> SandboxCore::stop_spawned(Process& by, std::string_view name) {
  std::shared_ptr<TreeRunner> target;
  {
    MutexLock lock(mutex_);
    const SpawnedChildren::Child* const child = spawned_.find(name);
    if (child != nullptr) target = child->where == SpawnedChildren::Where::pool ? tree_ : dynamic_;
  }
  if (target == nullptr) return fail(ErrorCode::not_found, "no guest has spawned a child of that name");
  const auto [supervisor, id] = split_address(name);
  return ask_for(by, *target, supervisor, StopOne{id});
}

std::int32_t SandboxCore::stop_child(Process& by, std::string_view name) {
  const auto answer = [](GuestError error) { return static_cast<std::int32_t>(error); };
  if (by.name() == name) return answer(GuestError::not_now);
  const auto stopped = stop_spawned(by, name);
  if (stopped) return 0;
  switch (stopped.error().code) {
    case ErrorCode::deadlock: return answer(GuestError::deadlock);
    case ErrorCode::timeout: return answer(GuestError::timeout);
    case ErrorCode::cancelled: return answer(GuestError::cancelled);
    default: return answer(GuestError::not_found);
  }
}

}  // namespace petri
