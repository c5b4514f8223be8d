#include "sandbox/reload/reloads.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/guest/inside.h"
#include "sandbox/calls/deadlock.h"
#include "sandbox/reload/way_back.h"
#include "sandbox/switch/described_state.h"
#include "sandbox/versions/version_texts.h"

namespace petri {
namespace {

ModuleChanges only(ModuleChange change) {
  ModuleChanges changes;
  changes.push_back(std::move(change));
  return changes;
}

}  // namespace

// ---- steps of every verb --------------------------------------------------------------------------------------

Result<void> Reloads::check(const std::optional<ReloadPolicy>& policy) const {
  PETRI_TRY(parts_.standing.must_exist());
  return check_reload_policy(policy.value_or(parts_.policy));
}

Result<Claim> Reloads::claim(std::vector<std::string> modules) const {
  parts_.aftermath.wait(Reload::deadline_of(parts_.policy));
  return Claim::take(parts_.standing, parts_.reload.modules, std::move(modules));
}

ReloadTerms Reloads::terms(const std::optional<ReloadPolicy>& policy, SwitchCause cause, std::string actor) const {
  return {.policy = policy.value_or(parts_.policy), .news = {.cause = cause, .actor = std::move(actor)}};
}

Result<ModuleChange> Reloads::change_to(const std::string& module, LoadedModule loaded,
                                        const ReloadOptions& options) const {
  Version version = version_of(std::move(loaded), VersionOrigin::reload, parts_.reload.owner.clock().wall_now());
  version.metadata = options.metadata;
  version.needs = options.needs;
  return parts_.reload.modules.change_to(module, std::move(version), options.renames);
}

// Known before anything is made or waited for.
Result<void> Reloads::may_quiesce_here(const ModuleChanges& changes, std::string_view doing) const {
  if (Inside::here() == nullptr) return {};
  for (const ModuleChange& change : changes) {
    if (change.module_switch == nullptr) continue;
    for (const ProcessPtr& process : parts_.reload.host.processes_of(change.name)) {
      PETRI_TRY(may_wait_here(parts_.reload.owner, {.address = process->name(), .with_queue = true}, doing,
                              "the module " + change.name));
    }
  }
  return {};
}

Result<std::vector<ReloadReport>> Reloads::apply(ModuleChanges changes, ReloadTerms terms, Claim& claimed) const {
  const std::string_view doing = name_of(terms.news.cause);
  Reload reload(parts_.reload, std::move(terms), std::move(changes));
  PETRI_TRY(reload.plan());
  PETRI_TRY(may_quiesce_here(reload.changes(), doing));
  const DeterministicQueue::Hold hold(parts_.reload.owner.deterministic_queue());
  const StructuralControl::Turn turn = parts_.control.take();
  {
    MutexLock lock(parts_.standing.mutex());
    PETRI_TRY(parts_.standing.must_be_changeable_now());
  }
  // Everything that ran was asked to stop; new code that is tried where nothing runs is to be asked by the next who
  // ends it.
  const bool stopped = parts_.standing.status() == SandboxStatus::stopped;
  const bool may_start = stopped ? parts_.control.begin_runs(turn) : !parts_.control.is_to_end();
  if (!may_start) return fail(ErrorCode::cancelled, "the sandbox is being ended");
  return reload.run([&claimed] { claimed.release(); });
}

Result<ReloadReport> Reloads::apply_to(std::string_view module, ModuleChanges changes, ReloadTerms terms,
                                       Claim& claimed) const {
  PETRI_TRY(auto reports, apply(std::move(changes), std::move(terms), claimed));
  return std::move(*std::ranges::find(reports, module, &ReloadReport::module));
}

// ---- reload ---------------------------------------------------------------------------------------------------

Result<ReloadReport> Reloads::reload(std::string_view module, const Source& source,
                                     const ReloadOptions& options) const {
  PETRI_TRY(auto reports, reload_all({ModuleSpec{std::string(module), source}}, options));
  return std::move(*std::ranges::find(reports, module, &ReloadReport::module));
}

Result<std::vector<ReloadReport>> Reloads::reload_all(const std::vector<ModuleSpec>& modules,
                                                      const ReloadOptions& options) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(check(options.policy));
  PETRI_TRY(check_version_texts(options));
  std::vector<std::string> names;
  for (const ModuleSpec& module : modules) {
    PETRI_TRY(check_needed_names(module.needs));
    names.push_back(module.name);
  }
  PETRI_TRY(Claim claimed, claim(std::move(names)));
  ModuleChanges changes;
  const ModuleGate gate = parts_.reload.host.gate();
  auto all = gate.load_all(modules);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const std::string& name = modules[index].name;
    PETRI_TRY(LoadedModule loaded, gate.report_if_rejected(name, std::move(all[index]), WayIn::reload));
    ReloadOptions own = options;
    if (!modules[index].needs.empty()) own.needs = modules[index].needs;
    PETRI_TRY(changes.emplace_back(), change_to(name, std::move(loaded), own));
  }
  return apply(std::move(changes), terms(options.policy, SwitchCause::reload, options.actor), claimed);
}

Result<std::vector<ReloadReport>> Reloads::reload_folder(const Source& folder, const ReloadOptions& options) const {
  PETRI_TRY(check(options.policy));
  std::vector<ModulePlace> places;
  for (const ModuleSummary& module : parts_.reload.modules.summaries()) places.push_back({module.name, module.path});
  PETRI_TRY(const auto modules, parts_.reload.host.gate().compile_folder(folder, places));
  return reload_all(modules, options);
}

Result<ReloadPlan> Reloads::plan(std::string_view module, const Source& source, const ReloadOptions& options) const {
  const Operation operation(parts_.operation, Operation::Reach::thread);
  parts_.aftermath.wait(Reload::deadline_of(parts_.policy));
  PETRI_TRY(parts_.reload.modules.active(module));
  PETRI_TRY(LoadedModule loaded, parts_.reload.host.gate().load_or_report(module, source, WayIn::plan));
  PETRI_TRY(ModuleChange to_it, change_to(std::string(module), std::move(loaded), options));
  Reload reload(parts_.reload, terms(options.policy, SwitchCause::reload, options.actor), only(std::move(to_it)));
  PETRI_TRY(reload.link());
  ModuleChange& change = reload.change_of(module);
  ReloadPlan plan{.module = change.name, .from = change.from_number, .to = change.to_number};
  plan.no_change = !change.is_needed();
  if (plan.no_change) return plan;
  if (auto planned = reload.plan_state(change); !planned) {
    plan.refusal = std::move(planned.error());
    return plan;
  }
  const SwitchTerms& found = change.module_switch->terms();
  plan.state = found.way;
  if (plan.state != StateWay::described) return plan;
  const SandboxLimitsPtr limits = parts_.reload.owner.account().limits();
  PETRI_TRY(const auto from, schema_of(*change.from, *limits));
  PETRI_TRY(const auto to, schema_of(*change.to, *limits));
  PETRI_TRY(plan.plan, StatePlan::create(from, to, found.renames, {.drop = found.policy.drop}));
  if (const auto check = plan.plan->check(); !check) plan.refusal = check.error();
  return plan;
}

// ---- versions that are kept -----------------------------------------------------------------------------------

Result<ReloadReport> Reloads::activate(std::string_view module, std::uint64_t version,
                                       const ReloadOptions& options) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(check(options.policy));
  PETRI_TRY(check_actor(options.actor));
  PETRI_TRY(Claim claimed, claim({std::string(module)}));
  if (version == 0) return fail(ErrorCode::version_not_found, fmt::format("the versions of {} begin with 1", module));
  PETRI_TRY(ModuleChange change, parts_.reload.modules.change_to_kept(std::string(module), version, options.renames));
  return apply_to(module, only(std::move(change)), terms(options.policy, SwitchCause::activate, options.actor),
                  claimed);
}

Result<ReloadReport> Reloads::rollback(std::string_view module, std::uint64_t version,
                                       const RollbackOptions& options) const {
  const Operation operation(parts_.operation);
  PETRI_TRY(check(options.policy));
  PETRI_TRY(check_actor(options.actor));
  // A function that callers could call in the newer version only is part of what is undone.
  ReloadTerms back = terms(options.policy, SwitchCause::rollback, options.actor);
  back.policy.drop_exports = true;
  if (options.snapshot) return rollback_with_snapshot(std::string(module), version, std::move(back));
  PETRI_TRY(Claim claimed, claim({std::string(module)}));
  PETRI_TRY(ModuleChange change, parts_.reload.modules.change_to_kept(std::string(module), version, {}));
  return apply_to(module, only(std::move(change)), std::move(back), claimed);
}

// The modules that were switched together are asked for once what crashed has been dealt with: that may be a roll back.
Result<ReloadReport> Reloads::rollback_with_snapshot(const std::string& module, std::uint64_t version,
                                                     ReloadTerms terms) const {
  ModuleTable& modules = parts_.reload.modules;
  parts_.aftermath.wait(Reload::deadline_of(parts_.policy));
  PETRI_TRY(Claim claimed, claim(switched_together(modules, module)));
  PETRI_TRY(const ModuleChange asked, modules.change_to_kept(module, version, {}));
  const SwitchSnapshots snapshots = modules.last_switch_of(module).value_or(SwitchSnapshots{});
  const auto own = snapshots.find(module);
  if (own == snapshots.end() || own->second->from() != asked.to_number || own->second->to() != asked.from_number) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no snapshot of a switch of {} from version {} to {}: only the last switch of a "
                            "module has one, and one without a trial has none; roll back without it",
                            module, asked.to_number, asked.from_number));
  }
  PETRI_TRY(ModuleChanges changes, changes_back_to(modules, snapshots));
  return apply_to(module, std::move(changes), std::move(terms), claimed);
}

}  // namespace petri
