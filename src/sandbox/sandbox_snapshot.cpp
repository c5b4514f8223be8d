// A sandbox as it stands, kept; brought back into it, or into another.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/ids.h"
#include "engine/module_layout.h"
#include "engine/module_words.h"
#include "sandbox/reload.h"
#include "sandbox/sandbox_core.h"
#include "sandbox/snapshot_limits.h"
#include "sandbox/version_texts.h"

namespace petri {

const SavedProcess* SnapshotData::find(std::string_view address) const {
  const auto found = std::ranges::lower_bound(processes, address, {}, &SavedProcess::address);
  return found == processes.end() || found->address != address ? nullptr : &*found;
}

const Version& SavedModule::active_version() const { return *std::ranges::find(versions, active, &Version::number); }

SavedModule save_module(const std::string& name, const VersionTable& versions) {
  SavedModule saved{.name = name,
                    .active = versions.active().number,
                    .total = versions.total(),
                    .versions = versions.versions(),
                    .switches = versions.switches()};
  for (Version& version : saved.versions) version.code = nullptr;
  return saved;
}

// ---- taking one -----------------------------------------------------------------------------------------------

std::shared_ptr<SnapshotData> SandboxCore::begin_snapshot() {
  auto data = std::make_shared<SnapshotData>();
  data->sandbox = id();
  data->time = services_.clock.wall_now();
  if (const auto dynamic = dynamic_tree()) data->spawned = saved_children(*dynamic);
  data->added = saved_children(*tree());
  for (const std::string& name : modules_.names()) {
    if (const auto versions = modules_.versions(name)) data->modules.push_back(save_module(name, *versions));
  }
  MutexLock lock(mutex_);
  data->tree = tree_spec();
  return data;
}

// Those that run and that no spec has.
std::vector<SavedChild> SandboxCore::saved_children(const TreeRunner& tree) const {
  std::vector<SavedChild> saved;
  for (const TreeEntry& entry : tree.entries()) {
    if (!entry.added || entry.status == ChildStatus::stopped) continue;
    saved.push_back({.child = *entry.spec, .supervisor = split_address(entry.address).supervisor, .parent = {}});
    MutexLock lock(mutex_);
    const SpawnedChildren::Child* const child = spawned_.find(entry.address);
    const ProcessPtr parent = child == nullptr ? nullptr : child->parent.lock();
    if (parent != nullptr) saved.back().parent = parent->name();
  }
  return saved;
}

Result<SavedProcess> SandboxCore::save_process(const Process& process, const LiveInstance& live,
                                               const std::string& module) const {
  const auto refuse = [&](ErrorCode code, std::string_view why) {
    return fail(code, fmt::format("the process {} of the module {} cannot be kept: {}", process.name(), module, why));
  };
  if (!live.movable()) return refuse(ErrorCode::state_incompatible, live.code->why_not_movable());
  auto image = InstanceImage::capture(*live.guest->instance(),
                                      {.bytes_max = account_.limits()->state_bytes_max,
                                       .is_ended = [stop = ending()] { return stop.stop_requested(); }});
  if (!image) return refuse(image.error().code, image.error().message);
  return SavedProcess{.address = process.name(),
                      .module = module,
                      .image = std::make_shared<const InstanceImage>(*std::move(image)),
                      .random = live.context->random.state(),
                      .saw_outside = live.saw_outside || process.live_saw_outside(),
                      .mailbox = process.saved_mailbox(),
                      .timers = guest_timers_.saved(process)};
}

// All of it is of one moment: every process is at rest.
Result<Snapshot> SandboxCore::snapshot() {
  const Operation operation(operation_, Operation::Reach::thread);
  PETRI_TRY(must_run());
  if (const Inside* waits = inside({})) return would_wait_for(*waits, "take a snapshot of the sandbox " + id());
  PETRI_TRY(const Claim claimed, claim(modules_.names()));
  const DeterministicQueue::Hold hold(queue_.get());
  take_control();
  const MutexLock control(control_, std::adopt_lock);
  PETRI_TRY(must_run());
  ModuleChanges changes = rest_of(modules_.names());
  Quiescence quiescence(reload_parts(), Reload::deadline_of(reload_policy()), ending());
  PETRI_TRY(quiescence.reach(changes));
  const auto data = begin_snapshot();
  for (const Quiescence::Taken& one : quiescence.taken()) {
    PETRI_TRY(SavedProcess saved, save_process(*one.process, one.process->live(), changes[one.change].name));
    data->processes.push_back(std::move(saved));
  }
  std::ranges::sort(data->processes, {}, &SavedProcess::address);
  return Snapshot(data);
}

// ---- bringing it back -----------------------------------------------------------------------------------------

// The tree must be the one it was: who is there has a place in the snapshot, and who is in the snapshot a place here.
Result<void> SandboxCore::check_same_processes(const SnapshotData& data) const {
  std::set<std::string, std::less<>> here;
  for (const SavedModule& module : data.modules) {
    for (const ProcessPtr& process : processes_of(module.name)) {
      const SavedProcess* saved = data.find(process->name());
      if (saved == nullptr || saved->module != module.name) {
        return fail(ErrorCode::state_incompatible,
                    fmt::format("the snapshot has no process {} of {}, which lives now", process->name(), module.name));
      }
      here.insert(process->name());
    }
  }
  for (const SavedProcess& saved : data.processes) {
    if (here.contains(saved.address)) continue;
    return fail(ErrorCode::state_incompatible,
                fmt::format("the process {} of the snapshot does not live now", saved.address));
  }
  return {};
}

// Code that was forgotten since comes in through the gate, as a new version.
Result<ModuleChanges> SandboxCore::changes_to_restore(const SnapshotData& data) {
  ModuleChanges changes;
  for (const SavedModule& module : data.modules) {
    const Source source = Source::artifact(module.active_version().artifact);
    PETRI_TRY(LoadedModule loaded, gate().load_or_report(module.name, source, WayIn::restore));
    PETRI_TRY(ModuleChange change, change_to(module.name, std::move(loaded), {}));
    auto images = std::make_shared<SwitchSnapshot>(account_, change.to_number, change.from_number);
    for (const SavedProcess& process : data.processes) {
      if (process.module == module.name) images->borrow(process.address, process.image);
    }
    change.back_to = std::move(images);
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<void> SandboxCore::restore(const Snapshot& snapshot, const RestoreOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(must_run());
  ReloadTerms terms = reload_terms(std::nullopt, SwitchCause::restore, options.actor);
  terms.policy.drop_exports = true;
  terms.policy.quiet_wait_max = options.quiet_wait_max;
  PETRI_TRY(check_reload_policy(terms.policy));
  PETRI_TRY(check_actor(options.actor));
  const SnapshotData& data = snapshot.data();
  PETRI_TRY(check_limits(data, *account_.limits()));
  std::vector<std::string> names;
  for (const SavedModule& module : data.modules) names.push_back(module.name);
  PETRI_TRY(Claim claimed, claim(std::move(names)));
  PETRI_TRY(check_same_processes(data));
  PETRI_TRY(ModuleChanges changes, changes_to_restore(data));
  terms.on_switched = [&](Process& process) {
    const SavedProcess* saved = data.find(process.name());
    if (saved == nullptr) return;
    process.live().context->random = SeededRandom(saved->random);
    guest_timers_.settle(process);
    process.replace_mailbox(saved->mailbox);
    guest_timers_.replace(process, options.timers ? saved->timers : std::vector<SavedTimer>());
  };
  PETRI_TRY(apply(std::move(changes), std::move(terms), claimed));
  return {};
}

// ---- in a sandbox of its own ----------------------------------------------------------------------------------

// Only those that will be kept are loaded: an archive may have a thousand.
Result<VersionTable> SandboxCore::admit_versions(const SavedModule& saved, WayIn way) {
  VersionTable kept(saved.versions, saved.switches, saved.active, saved.total);
  kept.prune(account_.limits()->versions_max);
  std::vector<Version> versions;
  for (const Version& one : kept.versions()) {
    PETRI_TRY(Version version, gate().load_saved(saved.name, one, way));
    versions.push_back(std::move(version));
  }
  return VersionTable(std::move(versions), saved.switches, saved.active, saved.total);
}

Result<void> SandboxCore::load_saved(const SnapshotOrigin& origin) {
  for (const SavedModule& saved : origin.data.modules) {
    PETRI_TRY(VersionTable table, admit_versions(saved, origin.way));
    journal_.module_loaded(saved.name, *table.active().artifact, origin.way);
    modules_.put(saved.name, std::move(table));
  }
  return link_or_forget(origin.way);
}

// A process that the snapshot knows continues from there. What waits for it waits until all of them live: of a sandbox
// that does not come to life nothing has been done.
Result<Outcome> SandboxCore::start_as_saved(Process& process, Incarnation incarnation, const ModuleTable::Active& start,
                                            const SavedStart& from, std::string_view input) {
  const Process::Origin origin{.image = from.saved->image,
                               .random = from.origin->share_random ? std::optional(from.saved->random) : std::nullopt,
                               .saw_outside = from.saved->saw_outside,
                               .mailbox = from.saved->mailbox};
  process.close_gate(Clock::TimePoint::max());
  auto outcome = process.start(incarnation, start.code, input, &origin, start.number);
  const bool lives = outcome && outcome->kind == OutcomeKind::ok;
  if (lives && from.origin->timers) guest_timers_.replace(process, from.saved->timers);
  return outcome;
}

// Both trees are there. What a snapshot brings is checked as what anybody asks for.
Result<void> SandboxCore::start_spawned(const SnapshotData& origin) {
  for (const SavedChild& saved : origin.added) {
    PETRI_TRY(start_saved(*tree(), saved, SpawnedChildren::Where::pool));
  }
  if (origin.spawned.empty()) return {};
  const auto dynamic = tree_for_spawned();
  if (dynamic == nullptr) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  for (const SavedChild& saved : origin.spawned) {
    PETRI_TRY(start_saved(*dynamic, saved, SpawnedChildren::Where::dynamic));
  }
  return {};
}

Result<void> SandboxCore::start_saved(TreeRunner& tree, const SavedChild& saved, SpawnedChildren::Where where) {
  PETRI_TRY(validate(SupervisorSpec{.children = {saved.child}}, modules_.names()));
  PETRI_TRY(auto charge, must_have_room_for(saved.child));
  const std::string address = address_below(saved.supervisor, saved.child.id());
  PETRI_TRY(must_be_free(address));
  if (where == SpawnedChildren::Where::dynamic || !saved.parent.empty()) {
    const ProcessPtr parent = find_process(saved.parent);
    MutexLock lock(mutex_);
    spawned_.add(address, {.parent = parent, .where = where});
  }
  Request request = AddChild{saved.child, charge};
  if (tree.template_at(saved.supervisor)) {
    AddInstance instance{{.id = saved.child.id()}, std::move(charge)};
    if (const ChildSpec* process = saved.child.process()) instance.instance.input = process->input;
    request = std::move(instance);
  }
  PETRI_TRY(tree.request(saved.supervisor, std::move(request)));
  return {};
}

void SandboxCore::let_go_on(const SnapshotData& origin) {
  for (const SavedProcess& saved : origin.processes) {
    if (const ProcessPtr process = find_process(saved.address)) process->open_gate();
  }
}

Result<SandboxCore::CloneSource> SandboxCore::clone_source() const {
  MutexLock lock(mutex_);
  PETRI_TRY(must_exist_now());
  CloneSource like{.spec = {}, .traits = traits_, .limits = *account_.limits(), .permissions = permissions()};
  like.spec.modules = *sources_;
  like.spec.tree = tree_spec();
  like.spec.labels = labels_;
  like.spec.generation = spec_.generation;
  like.spec.seed = spec_.seed;
  like.spec.deterministic = spec_.deterministic;
  like.spec.tier = spec_.tier;
  like.spec.on_log = spec_.on_log;
  return like;
}

void SandboxCore::become_clone_of(const CloneSource& other) {
  account_.set_limits(other.limits);
  share_.set_percent(other.limits.cpu_percent_max);
  granted_.store(other.permissions);
  if (const auto granted = folder()) granted->set_limits(other.limits);
}

}  // namespace petri
