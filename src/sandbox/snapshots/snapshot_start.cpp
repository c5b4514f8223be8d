#include "sandbox/snapshots/snapshot_start.h"

#include "sandbox/trees/child_room.h"
#include "sandbox/trees/spawning.h"

namespace petri {

Result<void> SnapshotStart::load() {
  const ModuleGate gate = parts_.code.host.gate();
  const std::uint64_t versions_max = parts_.code.owner.account().limits()->versions_max;
  for (const SavedModule& saved : origin_.data.modules) {
    PETRI_TRY(VersionTable table, admit_versions(gate, saved, versions_max, origin_.way));
    parts_.code.journal.module_loaded(saved.name, *table.active().artifact, origin_.way);
    parts_.code.modules.put(saved.name, std::move(table));
  }
  return {};
}

bool SnapshotStart::knows(std::string_view process, std::string_view module) const {
  const SavedProcess* const saved = origin_.data.find(process);
  return saved != nullptr && saved->module == module;
}

Result<Outcome> SnapshotStart::start(Process& process, Incarnation incarnation, const ModuleTable::Active& code,
                                     std::string_view input) {
  const SavedProcess& saved = *origin_.data.find(process.name());
  const Process::Origin from{.image = saved.image,
                             .random = origin_.share_random ? std::optional(saved.random) : std::nullopt,
                             .saw_outside = saved.saw_outside,
                             .mailbox = saved.mailbox};
  // Until complete() opens it: of a sandbox that does not start, no message has been handled.
  process.entrance().close_gate(Clock::TimePoint::max());
  auto outcome = process.start(incarnation, code.code, input, &from, code.number);
  const bool lives = outcome && outcome->kind == OutcomeKind::ok;
  if (lives && origin_.timers) parts_.code.timers.replace(process, saved.timers);
  return outcome;
}

Result<void> SnapshotStart::complete() {
  const SnapshotData& data = origin_.data;
  for (const SavedChild& saved : data.added) {
    PETRI_TRY(start_child(*parts_.trees.tree(), saved, SpawnedChildren::Where::pool));
  }
  if (!data.spawned.empty()) {
    const auto dynamic = parts_.trees.for_spawned();
    if (dynamic == nullptr) return fail(ErrorCode::cancelled, "the sandbox is being ended");
    for (const SavedChild& saved : data.spawned) {
      PETRI_TRY(start_child(*dynamic, saved, SpawnedChildren::Where::dynamic));
    }
  }
  for (const SavedProcess& saved : data.processes) {
    if (const ProcessPtr process = parts_.processes.find(saved.address)) process->entrance().open_gate();
  }
  return {};
}

// Everything that a snapshot brings is checked as what anybody asks for.
Result<void> SnapshotStart::start_child(TreeRunner& tree, const SavedChild& saved, SpawnedChildren::Where where) {
  PETRI_TRY(validate(SupervisorSpec{.children = {saved.child}}, parts_.code.modules.names()));
  PETRI_TRY(auto charge, must_have_room_for(parts_.account, saved.child));
  const std::string address = address_below(saved.supervisor, saved.child.id());
  PETRI_TRY(must_be_free(parts_.trees, parts_.processes, address));
  if (where == SpawnedChildren::Where::dynamic || !saved.parent.empty()) {
    parts_.processes.add_spawned(address, parts_.processes.find(saved.parent), where);
  }
  // Where the supervisor has a template now, the child is one of its instances, whatever it was before.
  Request request = AddChild{saved.child, charge};
  if (tree.template_at(saved.supervisor)) {
    AddInstance instance{{.id = saved.child.id()}, std::move(charge)};
    if (const ChildSpec* process = saved.child.process()) instance.instance.input = process->input;
    request = std::move(instance);
  }
  PETRI_TRY(tree.request(saved.supervisor, std::move(request)));
  return {};
}

}  // namespace petri
