#include "sandbox/versions/module_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/ids.h"
#include "base/text/escape.h"

namespace petri {
namespace {

// Renames that the caller did not give are those the table remembers of the versions in between.
ModuleChange change_to_version(const std::string& module, const ModuleEntry& entry, const VersionTable& versions,
                               const Version& version, const StateHints& renames) {
  const std::uint64_t active = versions.active().number;
  return {.name = module,
          .from = entry.code,
          .to = version.code,
          .from_number = active,
          .to_number = version.number,
          .renames = renames.empty() ? versions.renames_between(active, version.number) : renames,
          .kind = SwitchVersion{.renames_given = !renames.empty()}};
}

}  // namespace

// ---- what is in it --------------------------------------------------------------------------------------------

Result<void> ModuleTable::must_be_open() const {
  if (!closed_) return {};
  return fail(ErrorCode::not_found, fmt::format("there is no sandbox {}: it was destroyed", sandbox_));
}

std::unexpected<Error> ModuleTable::no_module(std::string_view names) const {
  return fail(ErrorCode::not_found, fmt::format("the sandbox {} has no module {}", sandbox_, names));
}

std::unexpected<Error> ModuleTable::has_module(std::string_view module) const {
  return fail(ErrorCode::already_exists,
              fmt::format("the sandbox {} has a module {} already: reload() gives it other code", sandbox_, module));
}

Result<const ModuleEntry*> ModuleTable::find(std::string_view module) const {
  PETRI_TRY(must_be_open());
  const auto found = modules_.find(module);
  if (found != modules_.end()) return &found->second;
  return no_module(escape_text(module, kSandboxIdBytesMax));
}

bool ModuleTable::contains(std::string_view module) const {
  MutexLock lock(mutex_);
  return modules_.contains(module);
}

std::size_t ModuleTable::size() const {
  MutexLock lock(mutex_);
  return modules_.size();
}

std::vector<std::string> ModuleTable::names() const {
  std::vector<std::string> names;
  MutexLock lock(mutex_);
  for (const auto& [name, module] : modules_) names.push_back(name);
  return names;
}

std::vector<ModuleSummary> ModuleTable::summaries() const {
  std::vector<ModuleSummary> all;
  MutexLock lock(mutex_);
  for (const auto& [name, module] : modules_) {
    ModuleSummary& summary = all.emplace_back();
    summary = {.name = name, .artifact = module.code->artifact->id(), .version = module.active_number()};
    if (module.past == nullptr) continue;
    const Version& active = module.past->versions.active();
    if (active.source.path != nullptr) summary.path = *active.source.path;
  }
  return all;
}

Result<void> ModuleTable::must_be_new(std::string_view module) const {
  MutexLock lock(mutex_);
  PETRI_TRY(must_be_open());
  if (modules_.contains(module)) return has_module(module);
  return {};
}

Result<ModuleTable::Active> ModuleTable::active(std::string_view module) const {
  MutexLock lock(mutex_);
  PETRI_TRY(const ModuleEntry* found, find(module));
  return Active{.code = found->code, .number = found->active_number()};
}

// Linked here and not when it was loaded: most modules of a long chain never have a process.
Result<ModuleTable::Active> ModuleTable::active_to_start(std::string_view module) {
  MutexLock lock(mutex_);
  const auto found = modules_.find(module);
  if (found == modules_.end()) return fail(ErrorCode::not_found, fmt::format("there is no module {}", module));
  ModuleCodePtr& code = found->second.code;
  if (!code->from_modules.empty() && code->linked == nullptr) {
    PETRI_TRY(code, link_with(modules_, found->first, code, needs_of(found->second)));
  }
  return Active{.code = code, .number = found->second.active_number()};
}

VersionTable ModuleTable::first_versions(const ModuleCodePtr& code, SourceFacts source, VersionNeeds needs) const {
  Version first{.artifact = code->artifact, .code = code, .source = std::move(source), .time = created_};
  first.needs = std::move(needs);
  return {std::move(first), SwitchCause::create, "caller"};
}

VersionTable ModuleTable::versions_of(const ModuleEntry& module) const {
  if (module.past != nullptr) return module.past->versions;
  return first_versions(by_itself(module.code), {.hash = module.code->artifact->id()});
}

ModulePast& ModuleTable::past_of(ModuleEntry& module) const {
  if (module.past == nullptr) module.past = std::make_unique<ModulePast>(versions_of(module));
  return *module.past;
}

Result<VersionTable> ModuleTable::versions(std::string_view module) const {
  MutexLock lock(mutex_);
  PETRI_TRY(const ModuleEntry* found, find(module));
  return versions_of(*found);
}

// A source that was text or was read from a file, and needs, are kept with the first version; the rest follows from the
// artifact.
void ModuleTable::put(const std::string& module, const ModuleCodePtr& code, SourceFacts source, VersionNeeds needs) {
  ModuleEntry entry{.code = code, .past = nullptr};
  if (source.text != nullptr || source.path != nullptr || !needs.empty()) {
    entry.past = std::make_unique<ModulePast>(first_versions(code, std::move(source), std::move(needs)));
  }
  MutexLock lock(mutex_);
  modules_.insert_or_assign(module, std::move(entry));
}

void ModuleTable::put(const std::string& module, VersionTable versions) {
  ModuleEntry entry{.code = versions.active().code, .past = nullptr};
  entry.past = std::make_unique<ModulePast>(std::move(versions));
  MutexLock lock(mutex_);
  modules_.insert_or_assign(module, std::move(entry));
}

Result<void> ModuleTable::add(std::string_view module, VersionTable versions) {
  MutexLock lock(mutex_);
  PETRI_TRY(must_be_open());
  const Version& active = versions.active();
  PETRI_TRY(ModuleCodePtr code, link_with(modules_, module, active.code, active.needs));
  ModuleEntry entry{.code = std::move(code), .past = std::make_unique<ModulePast>(std::move(versions))};
  if (!modules_.try_emplace(std::string(module), std::move(entry)).second) return has_module(module);
  return {};
}

void ModuleTable::clear() {
  // Declared before the lock, so that code is freed without it.
  ModuleEntries gone;
  MutexLock lock(mutex_);
  gone.swap(modules_);
}

void ModuleTable::close() {
  ModuleEntries gone;
  MutexLock lock(mutex_);
  closed_ = true;
  gone.swap(modules_);
}

Result<ModuleTable::Staged> ModuleTable::stage(std::string_view module, Version version, std::uint64_t versions_max) {
  MutexLock lock(mutex_);
  PETRI_TRY(find(module));
  VersionTable& versions = past_of(modules_.find(module)->second).versions;
  const Version* const known = versions.find(version.artifact->id());
  Staged staged{.version = {}, .active = versions.active().number, .is_new = known == nullptr};
  staged.version = staged.is_new ? versions.add(std::move(version)) : *known;
  if (staged.is_new) versions.prune(versions_max);
  return staged;
}

void ModuleTable::prune(std::uint64_t versions_max) {
  MutexLock lock(mutex_);
  for (auto& [name, module] : modules_) {
    if (module.past != nullptr) module.past->versions.prune(versions_max);
  }
}

// ---- links ----------------------------------------------------------------------------------------------------

DependencyGraph ModuleTable::graph() const {
  MutexLock lock(mutex_);
  return has_links(modules_) ? graph_of(modules_) : DependencyGraph();
}

Result<std::vector<std::string>> ModuleTable::dependencies(std::string_view module) const {
  MutexLock lock(mutex_);
  PETRI_TRY(const ModuleEntry* found, find(module));
  return imported_modules(*found->code);
}

Result<std::vector<std::string>> ModuleTable::reload_order() const {
  MutexLock lock(mutex_);
  PETRI_TRY(must_be_open());
  return dependency_order(graph_of(modules_));
}

Result<bool> ModuleTable::check_all_links() const {
  MutexLock lock(mutex_);
  PETRI_TRY(check_links(modules_));
  return has_links(modules_);
}

Result<ModuleCodePtr> ModuleTable::link(std::string_view module, const ModuleCodePtr& code,
                                        const VersionNeeds& needs) const {
  MutexLock lock(mutex_);
  return link_with(modules_, module, code, needs);
}

// ---- claims ---------------------------------------------------------------------------------------------------

Result<void> ModuleTable::claim(std::vector<std::string>& modules) {
  MutexLock lock(mutex_);
  PETRI_TRY(must_be_open());
  if (has_links(modules_)) {
    for (const std::string& dependent : dependents_of(graph_of(modules_), modules)) modules.push_back(dependent);
  }
  std::string missing;
  for (const std::string& module : modules) {
    if (!modules_.contains(module)) missing += (missing.empty() ? "" : ", ") + escape_text(module, kSandboxIdBytesMax);
  }
  if (!missing.empty()) return no_module(missing);
  return claims_.take(modules);
}

bool ModuleTable::release(const std::vector<std::string>& modules) {
  MutexLock lock(mutex_);
  return claims_.give_back(modules);
}

// ---- changes --------------------------------------------------------------------------------------------------

Result<ModuleChange> ModuleTable::change_to(const std::string& module, Version version,
                                            const StateHints& renames) const {
  MutexLock lock(mutex_);
  PETRI_TRY(const ModuleEntry* found, find(module));
  const VersionTable versions = versions_of(*found);
  const Version* const known = versions.find(version.artifact->id());
  if (known != nullptr) return change_to_version(module, *found, versions, *known, renames);
  version.number = versions.next_number();
  version.before = versions.active().number;
  version.renames = renames;
  ModuleChange change = change_to_version(module, *found, versions, version, renames);
  change.added = std::move(version);
  return change;
}

Result<ModuleChange> ModuleTable::change_to_kept(const std::string& module, std::uint64_t number,
                                                 const StateHints& renames) const {
  MutexLock lock(mutex_);
  PETRI_TRY(const ModuleEntry* found, find(module));
  const VersionTable versions = versions_of(*found);
  if (number == 0) number = versions.number_before();
  if (number == 0) {
    return fail(ErrorCode::version_not_found,
                fmt::format("no version of {} is kept that was active before {}", module, versions.active().number));
  }
  PETRI_TRY(const Version* version, versions.require(module, number));
  return change_to_version(module, *found, versions, *version, renames);
}

Result<void> ModuleTable::link(ModuleChanges& changes, const std::set<std::string>& run) const {
  MutexLock lock(mutex_);
  return link_changes(modules_, changes, run);
}

Result<void> ModuleTable::link_late(ModuleChange& change, const ModuleChanges& changes) const {
  MutexLock lock(mutex_);
  PETRI_TRY(change.to, petri::link_late(modules_, change, changes));
  change.links_later = false;
  return {};
}

// Modules that are led share the trial of their lead; what it takes to roll them back with it is kept there.
Result<void> ModuleTable::commit(ModuleChanges& changes, const Commit& commit) {
  MutexLock lock(mutex_);
  PETRI_TRY(check_still_linked(modules_, changes));
  for (ModuleChange& change : changes) {
    if (change.module_switch == nullptr) continue;
    const auto lead = std::ranges::find(changes, change.lead, &ModuleChange::name);
    const bool is_led = lead != changes.end() && &*lead != &change;
    ModuleSwitch& done = *change.module_switch;
    if (is_led && done.trial() == nullptr) done.set_trial(lead->module_switch->trial());
    commit_one(change, commit);
    if (!is_led || change.is_relink()) continue;
    modules_.find(lead->name)->second.past->companions[change.name] = done.terms().keep;
  }
  return {};
}

void ModuleTable::commit_one(ModuleChange& change, const Commit& commit) {
  ModuleEntry& module = modules_.find(change.name)->second;
  ModulePast* const past = change.is_relink() ? nullptr : &past_of(module);  // of the code it has until now
  module.code = change.to;
  if (past == nullptr) return;
  if (change.added) past->versions.add(std::move(*change.added));
  if (!change.replaces_state()) past->versions.note_crossing(change.from_number, change.to_number, change.renames);
  past->versions.activate(change.to_number, commit.time, commit.cause, commit.actor);
  past->versions.prune(commit.versions_max);
  ModuleSwitch& done = *change.module_switch;
  past->snapshot = done.terms().keep;
  past->switched = commit.now;
  past->companions.clear();
  if (past->snapshot != nullptr && done.trial() == nullptr) {
    done.set_trial(std::make_shared<TrialPeriod>(change.name, commit.trial.calls, commit.now + commit.trial.time));
  }
  past->trial = done.trial();
}

void ModuleTable::commit_without_state(const ModuleChanges& changes, const Commit& commit) {
  MutexLock lock(mutex_);
  for (const ModuleChange& change : changes) {
    ModuleEntry& module = modules_.find(change.name)->second;
    module.code = change.to;
    if (change.is_relink()) continue;
    module.past->versions.activate(change.to_number, commit.time, commit.cause, commit.actor);
    module.past->snapshot = nullptr;
  }
}

// ---- the way back ---------------------------------------------------------------------------------------------

ModulePast* ModuleTable::find_past(std::string_view module) const {
  const auto found = modules_.find(module);
  return found == modules_.end() ? nullptr : found->second.past.get();
}

// Crashes that come while the switch is being undone belong to it, though the trial is over by then.
ModuleTable::CrashIs ModuleTable::add_crash(const TrialPeriod& trial, Crash crash, Clock::TimePoint now) {
  MutexLock lock(mutex_);
  ModulePast* const past = find_past(trial.module());
  if (past == nullptr || past->trial.get() != &trial || past->snapshot == nullptr) return CrashIs::nothing;
  if (!past->undoing && !trial.is_on_at(now)) return CrashIs::nothing;
  past->crashed.push_back(std::move(crash));
  return std::exchange(past->undoing, true) ? CrashIs::another : CrashIs::first;
}

std::vector<Crash> ModuleTable::take_crashes(const std::string& lead) {
  MutexLock lock(mutex_);
  ModulePast* const past = find_past(lead);
  if (past == nullptr) return {};
  past->undoing = false;
  return std::exchange(past->crashed, {});
}

std::optional<Result<Outcome>> ModuleTable::first_crash(const std::string& lead) const {
  MutexLock lock(mutex_);
  const ModulePast* const past = find_past(lead);
  return past == nullptr || past->crashed.empty() ? std::nullopt : std::optional(past->crashed.front().how);
}

Result<SwitchSnapshots> ModuleTable::last_switch_of(const std::string& module) const {
  MutexLock lock(mutex_);
  PETRI_TRY(const ModuleEntry* found, find(module));
  const bool led = found->past != nullptr && found->past->trial != nullptr;
  const std::string& lead = led ? found->past->trial->module() : module;
  PETRI_TRY(found, find(lead));
  if (found->past == nullptr) return fail(ErrorCode::not_found, "it was never switched");
  SwitchSnapshots snapshots = found->past->companions;
  snapshots[lead] = found->past->snapshot;
  for (const auto& [name, snapshot] : snapshots) {
    PETRI_TRY(const ModuleEntry* one, find(name));
    const bool current =
        snapshot != nullptr && one->past->snapshot == snapshot && snapshot->to() == one->past->versions.active().number;
    if (!current) return fail(ErrorCode::not_found, "somebody has switched it meanwhile");
  }
  return snapshots;
}

// Only what somebody asked for: going back and forth would help nobody.
ModuleTable::Recent ModuleTable::switched_before(Clock::TimePoint time, Clock::Duration within) const {
  Recent found;
  MutexLock lock(mutex_);
  for (const auto& [name, module] : modules_) {
    if (module.past == nullptr || module.past->versions.number_before() == 0) continue;
    const SwitchCause cause = module.past->versions.switches().back().cause;
    const Clock::Duration before = time - module.past->switched;
    const bool asked_for = cause == SwitchCause::reload || cause == SwitchCause::activate;
    if (!asked_for || before >= within) continue;
    found.modules.push_back(name);
    found.switched = std::min(found.switched.value_or(before), before);
  }
  return found;
}

}  // namespace petri
