// Verbs that change the code of live processes; each is a Reload.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "sandbox/reload.h"
#include "sandbox/sandbox_core.h"
#include "sandbox/version_texts.h"

namespace petri {

// ---- whose turn it is -----------------------------------------------------------------------------------------

void SandboxCore::Claim::release() {
  if (SandboxCore* core = std::exchange(core_, nullptr)) core->release(modules_);
}

// Code may be exchanged where nothing runs, too.
Result<void> SandboxCore::must_be_changeable_now() const {
  return status_ == SandboxStatus::stopped ? must_exist_now() : must_run_now();
}

Result<SandboxCore::Claim> SandboxCore::claim(std::vector<std::string> modules) {
  wait_for_crashes();
  return claim_now(std::move(modules));
}

Result<SandboxCore::Claim> SandboxCore::claim_now(std::vector<std::string> modules) {
  {
    MutexLock lock(mutex_);
    PETRI_TRY(must_be_changeable_now());
    PETRI_TRY(modules_.claim(modules));
  }
  advance(LifecycleEvent::change);
  return Claim(*this, std::move(modules));
}

void SandboxCore::release(const std::vector<std::string>& modules) {
  if (modules_.release(modules)) advance(LifecycleEvent::changed);
}

// ---- what is changed ------------------------------------------------------------------------------------------

// Code that is in the table already keeps its number.
Result<ModuleChange> SandboxCore::change_to(const std::string& name, LoadedModule loaded,
                                            const ReloadOptions& options) {
  Version version = version_of(std::move(loaded), VersionOrigin::reload, options.metadata, options.needs);
  return modules_.change_to(name, std::move(version), options.renames);
}

std::set<std::string> SandboxCore::modules_with_processes() const {
  std::set<std::string> modules;
  for (const auto& runner : trees()) {
    for (const TreeEntry& entry : runner->entries()) {
      if (const ChildSpec* child = entry.spec->process()) modules.insert(child->module);
    }
  }
  return modules;
}

// Known before anything is made or waited for.
Result<void> SandboxCore::may_quiesce_here(const ModuleChanges& changes, std::string_view doing) const {
  if (Inside::here() == nullptr) return {};
  for (const ModuleChange& change : changes) {
    if (!change.takes_part()) continue;
    for (const ProcessPtr& process : processes_of(change.name)) {
      const Inside* const waits = inside(process->name(), true);
      if (waits != nullptr) return would_wait_for(*waits, fmt::format("{} the module {}", doing, change.name));
    }
  }
  return {};
}

// ---- what a change waits for ----------------------------------------------------------------------------------

std::vector<ProcessPtr> SandboxCore::processes_of(std::string_view module) const {
  std::vector<std::string> addresses;
  for (const auto& runner : trees()) {
    for (const TreeEntry& entry : runner->entries()) {
      const ChildSpec* child = entry.spec->process();
      if (child != nullptr && child->module == module) addresses.push_back(entry.address);
    }
  }
  std::vector<ProcessPtr> processes;
  MutexLock lock(mutex_);
  for (const std::string& address : addresses) {
    if (const auto found = processes_.find(address); found != processes_.end()) processes.push_back(found->second);
  }
  return processes;
}

// Asked to stop when everything that runs is ended.
std::stop_token SandboxCore::ending() const {
  MutexLock lock(mutex_);
  return runs_.get_token();
}

bool SandboxCore::trees_are_quiet() const {
  return std::ranges::all_of(trees(), [](const auto& runner) { return runner->is_quiet(); });
}

bool SandboxCore::trees_are_settled() const {
  return std::ranges::all_of(trees(), [](const auto& runner) { return runner->is_settled(); });
}

void SandboxCore::wait_for_restarts(Clock::TimePoint deadline) const {
  for (const auto& runner : trees()) runner->wait_until_quiet(deadline);
}

bool SandboxCore::some_are_down() const {
  MutexLock lock(mutex_);
  return processes_.size() > account_.processes();
}

void SandboxCore::wait_for_decisions(Clock::TimePoint deadline) {
  {
    MutexLock lock(mutex_);
    if (decisions_ == 0) return;
  }
  const Workers::Pause pause(services_.workers);
  MutexLock lock(mutex_);
  while (decisions_ > 0) {
    if (!decided_.wait_until(mutex_, deadline)) return;
  }
}

void SandboxCore::begin_decision() {
  MutexLock lock(mutex_);
  ++decisions_;
}

void SandboxCore::end_decision() {
  MutexLock lock(mutex_);
  --decisions_;
  decided_.notify_all();
}

// A tree that gives up empties the places of its children before it ends, and leaves the rest to recovery. That may
// have begun since decisions were waited for: a status that is not up may be one on the way.
void SandboxCore::wait_for_crashes() {
  const Clock::TimePoint deadline = Reload::deadline_of(reload_policy());
  wait_for_decisions(deadline);
  if (is_up(status()) && (some_are_down() || !trees_are_settled())) wait_for_restarts(deadline);
  wait_for_decisions(deadline);
}

// ---- the transaction ------------------------------------------------------------------------------------------

ReloadParts SandboxCore::reload_parts() {
  return {.host = *this,
          .owner = *this,
          .modules = modules_,
          .timers = guest_timers_,
          .journal = journal_,
          .starts = starts_};
}

// A tree that follows from the modules does not follow them when they begin to import.
Result<void> SandboxCore::commit(ModuleChanges& changes, const ModuleTable::Commit& commit) {
  const bool imports = std::ranges::any_of(
      changes, [](const ModuleChange& change) { return change.change != nullptr && !change.to->from_modules.empty(); });
  MutexLock lock(mutex_);
  std::unique_ptr<SupervisorSpec> before;
  if (imports && tree_spec_ == nullptr) before = std::make_unique<SupervisorSpec>(tree_spec());
  PETRI_TRY(modules_.commit(changes, commit));
  if (before != nullptr) tree_spec_ = std::move(before);
  updated_ = std::max(updated_, commit.time);
  return {};
}

Result<std::vector<ReloadReport>> SandboxCore::apply(ModuleChanges changes, ReloadTerms terms, Claim& claimed) {
  const std::string_view doing = name_of(terms.news.cause);
  Reload reload(reload_parts(), std::move(terms), std::move(changes));
  PETRI_TRY(reload.plan());
  PETRI_TRY(may_quiesce_here(reload.changes(), doing));
  const DeterministicQueue::Hold hold(queue_.get());
  take_control();
  const MutexLock control(control_, std::adopt_lock);
  {
    MutexLock lock(mutex_);
    PETRI_TRY(must_be_changeable_now());
    if (ends_wanted_ > 0) return fail(ErrorCode::cancelled, "the sandbox is being ended");
    // What ran was asked to stop; new code that is tried where nothing runs is to be asked by the next who ends it.
    if (status_ == SandboxStatus::stopped) runs_ = std::stop_source();
  }
  return reload.run([&claimed] { claimed.release(); });
}

Result<ReloadReport> SandboxCore::apply_one(ModuleChange change, ReloadTerms terms, Claim& claimed) {
  const std::string name = change.name;
  ModuleChanges changes;
  changes.push_back(std::move(change));
  PETRI_TRY(auto reports, apply(std::move(changes), std::move(terms), claimed));
  return std::move(*std::ranges::find(reports, name, &ReloadReport::module));
}

// ---- verbs ----------------------------------------------------------------------------------------------------

ReloadTerms SandboxCore::reload_terms(const std::optional<ReloadPolicy>& policy, SwitchCause cause,
                                      std::string actor) const {
  return {.policy = policy.value_or(reload_policy()), .news = {.cause = cause, .actor = std::move(actor)}};
}

Result<std::vector<ReloadReport>> SandboxCore::reload_all(const std::vector<ModuleSpec>& modules,
                                                          const ReloadOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(must_exist());
  PETRI_TRY(check_reload_policy(options.policy.value_or(reload_policy())));
  PETRI_TRY(check_version_texts(options));
  std::vector<std::string> names;
  for (const ModuleSpec& module : modules) {
    PETRI_TRY(check_needed_names(module.needs));
    names.push_back(module.name);
  }
  PETRI_TRY(Claim claimed, claim(std::move(names)));
  ModuleChanges changes;
  const ModuleGate entrance = gate();
  auto all = entrance.load_all(modules);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const std::string& name = modules[index].name;
    PETRI_TRY(LoadedModule loaded, entrance.report_if_rejected(name, std::move(all[index]), WayIn::reload));
    ReloadOptions own = options;
    if (!modules[index].needs.empty()) own.needs = modules[index].needs;
    PETRI_TRY(changes.emplace_back(), change_to(name, std::move(loaded), own));
  }
  ReloadTerms terms = reload_terms(options.policy, SwitchCause::reload, options.actor);
  terms.renames_given = !options.renames.empty();
  return apply(std::move(changes), std::move(terms), claimed);
}

Result<ReloadReport> SandboxCore::reload(std::string_view module, const Source& source, const ReloadOptions& options) {
  PETRI_TRY(auto reports, reload_all({ModuleSpec{std::string(module), source}}, options));
  return std::move(*std::ranges::find(reports, module, &ReloadReport::module));
}

Result<ReloadReport> SandboxCore::activate(std::string_view module, std::uint64_t version,
                                           const ReloadOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(must_exist());
  PETRI_TRY(check_reload_policy(options.policy.value_or(reload_policy())));
  PETRI_TRY(check_actor(options.actor));
  PETRI_TRY(Claim claimed, claim({std::string(module)}));
  if (version == 0) return fail(ErrorCode::version_not_found, fmt::format("the versions of {} begin with 1", module));
  PETRI_TRY(ModuleChange change, modules_.change_to_kept(std::string(module), version, options.renames));
  ReloadTerms terms = reload_terms(options.policy, SwitchCause::activate, options.actor);
  terms.renames_given = !options.renames.empty();
  return apply_one(std::move(change), std::move(terms), claimed);
}

Result<ReloadReport> SandboxCore::rollback(std::string_view module, std::uint64_t version,
                                           const RollbackOptions& options) {
  const Operation operation(operation_);
  PETRI_TRY(must_exist());
  PETRI_TRY(check_reload_policy(options.policy.value_or(reload_policy())));
  PETRI_TRY(check_actor(options.actor));
  // What callers could call in the newer version only is part of what is undone.
  ReloadTerms terms = reload_terms(options.policy, SwitchCause::rollback, options.actor);
  terms.policy.drop_exports = true;
  if (options.snapshot) return rollback_with_snapshot(std::string(module), version, std::move(terms));
  PETRI_TRY(Claim claimed, claim({std::string(module)}));
  PETRI_TRY(ModuleChange change, modules_.change_to_kept(std::string(module), version, {}));
  return apply_one(std::move(change), std::move(terms), claimed);
}

// Modules that were switched together go back together: their processes are the same.
std::vector<std::string> SandboxCore::companions_of(const std::string& module) const {
  std::vector<std::string> names{module};
  if (const auto last = modules_.last_switch_of(module)) {
    for (const auto& [name, snapshot] : *last) {
      if (name != module) names.push_back(name);
    }
  }
  return names;
}

Result<ReloadReport> SandboxCore::rollback_with_snapshot(const std::string& module, std::uint64_t version,
                                                         ReloadTerms terms) {
  wait_for_crashes();
  PETRI_TRY(Claim claimed, claim(companions_of(module)));
  PETRI_TRY(const ModuleChange asked, modules_.change_to_kept(module, version, {}));
  const SwitchSnapshots snapshots = modules_.last_switch_of(module).value_or(SwitchSnapshots{});
  const auto own = snapshots.find(module);
  if (own == snapshots.end() || own->second->from() != asked.to_number || own->second->to() != asked.from_number) {
    return fail(ErrorCode::not_found,
                fmt::format("there is no snapshot of a switch of {} from version {} to {}: only the last switch of a "
                            "module has one, and one without a trial has none; roll back without it",
                            module, asked.to_number, asked.from_number));
  }
  PETRI_TRY(ModuleChanges changes, changes_back_to(snapshots));
  PETRI_TRY(auto reports, apply(std::move(changes), std::move(terms), claimed));
  return std::move(*std::ranges::find(reports, module, &ReloadReport::module));
}

}  // namespace petri
