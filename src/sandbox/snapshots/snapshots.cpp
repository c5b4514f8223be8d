#include "sandbox/snapshots/snapshots.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/access.h"
#include "base/ids.h"
#include "sandbox/calls/deadlock.h"
#include "sandbox/snapshots/snapshot_data.h"
#include "sandbox/versions/version_texts.h"

namespace petri {

// ---- taking one -----------------------------------------------------------------------------------------------

std::shared_ptr<SnapshotData> Snapshots::without_processes() const {
  auto data = std::make_shared<SnapshotData>();
  data->sandbox = parts_.code.sandbox;
  data->time = parts_.code.reload.owner.clock().wall_now();
  if (const auto dynamic = parts_.trees.dynamic()) data->spawned = saved_children(*dynamic);
  data->added = saved_children(*parts_.trees.tree());
  const ModuleTable& modules = parts_.code.reload.modules;
  for (const std::string& name : modules.names()) {
    if (const auto versions = modules.versions(name)) data->modules.push_back(save_module(name, *versions));
  }
  data->tree = parts_.spec.spec();
  return data;
}

// Children that run and that no spec has.
std::vector<SavedChild> Snapshots::saved_children(const TreeRunner& tree) const {
  std::vector<SavedChild> saved;
  for (const TreeEntry& entry : tree.entries()) {
    if (!entry.added || entry.status == ChildStatus::stopped) continue;
    saved.push_back({.child = *entry.spec, .supervisor = split_address(entry.address).supervisor, .parent = {}});
    if (const ProcessPtr parent = parts_.processes.parent_of(entry.address)) saved.back().parent = parent->name();
  }
  return saved;
}

Result<SavedProcess> Snapshots::save(const Process& process, const LiveInstance& live,
                                     const std::string& module) const {
  const auto refuse = [&](ErrorCode code, std::string_view why) {
    return fail(code, fmt::format("the process {} of the module {} cannot be kept: {}", process.name(), module, why));
  };
  if (!live.movable()) return refuse(ErrorCode::state_incompatible, live.code->why_not_movable());
  auto image = InstanceImage::capture(
      *live.guest->instance(), {.bytes_max = parts_.code.reload.owner.account().limits()->state_bytes_max,
                                .is_ended = [stop = parts_.code.control.ending()] { return stop.stop_requested(); }});
  if (!image) return refuse(image.error().code, image.error().message);
  return SavedProcess{.address = process.name(),
                      .module = module,
                      .image = std::make_shared<const InstanceImage>(*std::move(image)),
                      .random = live.context->random.state(),
                      .saw_outside = live.saw_outside || process.live().saw_outside,
                      .mailbox = process.entrance().saved_mailbox(),
                      .timers = parts_.code.reload.timers.saved(process)};
}

Result<Snapshot> Snapshots::snapshot() const {
  const Reloads::Parts& code = parts_.code;
  const Operation operation(code.operation, Operation::Reach::thread);
  PETRI_TRY(code.standing.must_run());
  PETRI_TRY(may_wait_here(code.reload.owner, {}, "take a snapshot of the sandbox", code.sandbox));
  PETRI_TRY(const Claim claimed, reloads_.claim(code.reload.modules.names()));
  const DeterministicQueue::Hold hold(code.reload.owner.deterministic_queue());
  const StructuralControl::Turn turn = code.control.take();
  PETRI_TRY(code.standing.must_run());
  const std::vector<Quiescence::Target> all = Quiescence::all_of(code.reload.modules.names());
  Quiescence quiescence(code.reload, Reload::deadline_of(code.policy), code.control.ending());
  PETRI_TRY(quiescence.reach(all));
  const auto data = without_processes();
  for (const auto& [process, target] : quiescence.taken()) {
    PETRI_TRY(SavedProcess saved, save(*process, process->live(), all[target].module));
    data->processes.push_back(std::move(saved));
  }
  std::ranges::sort(data->processes, {}, &SavedProcess::address);
  return Snapshot(data);
}

// ---- bringing it back -----------------------------------------------------------------------------------------

Result<void> Snapshots::check_same_processes(const SnapshotData& data) const {
  std::vector<LivePlace> here;
  for (const SavedModule& module : data.modules) {
    for (const ProcessPtr& process : parts_.code.reload.host.processes_of(module.name)) {
      here.push_back({.address = process->name(), .module = module.name});
    }
  }
  return petri::check_same_processes(data, here);
}

// Code that was forgotten since is admitted by the gate again, as a new version.
Result<ModuleChanges> Snapshots::changes_to(const SnapshotData& data, const std::function<void(Process&)>& also) const {
  const ReloadParts& parts = parts_.code.reload;
  ModuleChanges changes;
  for (const SavedModule& module : data.modules) {
    const Source source = Source::artifact(module.active_version().artifact);
    PETRI_TRY(LoadedModule loaded, parts.host.gate().load_or_report(module.name, source, WayIn::restore));
    PETRI_TRY(ModuleChange change, reloads_.change_to(module.name, std::move(loaded), {}));
    auto images = std::make_shared<SwitchSnapshot>(parts.owner.account(), change.to_number, change.from_number);
    for (const SavedProcess& process : data.processes) {
      if (process.module == module.name) images->borrow(process.address, process.image);
    }
    change.kind = ReplaceState{.snapshot = std::move(images), .also = also};
    changes.push_back(std::move(change));
  }
  return changes;
}

Result<void> Snapshots::restore(const Snapshot& snapshot, const RestoreOptions& options) const {
  const Operation operation(parts_.code.operation);
  PETRI_TRY(parts_.code.standing.must_run());
  ReloadTerms terms = reloads_.terms(std::nullopt, SwitchCause::restore, options.actor);
  terms.policy.drop_exports = true;
  terms.policy.rolling = false;  // a snapshot is of one moment
  terms.policy.quiet_wait_max = options.quiet_wait_max;
  PETRI_TRY(check_reload_policy(terms.policy));
  PETRI_TRY(check_actor(options.actor));
  const SnapshotData& data = detail::Access::data(snapshot);
  PETRI_TRY(check_limits(data, *parts_.code.reload.owner.account().limits()));
  std::vector<std::string> names;
  for (const SavedModule& module : data.modules) names.push_back(module.name);
  PETRI_TRY(Claim claimed, reloads_.claim(std::move(names)));
  PETRI_TRY(check_same_processes(data));
  const auto continue_as_saved = [&data, &options, &timers = parts_.code.reload.timers](Process& process) {
    const SavedProcess* saved = data.find(process.name());
    if (saved == nullptr) return;
    process.live().context->random = SeededRandom(saved->random);
    timers.settle(process);
    process.entrance().replace_mailbox(saved->mailbox);
    timers.replace(process, options.timers ? saved->timers : std::vector<SavedTimer>());
  };
  PETRI_TRY(ModuleChanges changes, changes_to(data, continue_as_saved));
  PETRI_TRY(reloads_.apply(std::move(changes), std::move(terms), claimed));
  return {};
}

}  // namespace petri
