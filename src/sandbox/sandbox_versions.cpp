// Which versions the modules of a sandbox have, and what its processes know.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/escape.h"
#include "base/ids.h"
#include "sandbox/described_state.h"
#include "sandbox/reload.h"
#include "sandbox/sandbox_core.h"
#include "sandbox/version_texts.h"

namespace petri {

// What it imports first, then what it only says that it needs.
static std::vector<ModuleDependency> dependencies_of(const Version& version) {
  std::vector<ModuleDependency> all;
  VersionNeeds declared = version.needs;
  for (const std::string& module : imported_modules(*version.code)) {
    const auto need = declared.extract(module);
    all.push_back({.module = module, .versions = need.empty() ? VersionRange{} : need.mapped()});
  }
  for (const auto& [module, range] : declared) {
    all.push_back({.module = module, .versions = range, .kind = DependencyKind::declared});
  }
  return all;
}

VersionInfo SandboxCore::info_of(const Version& version, std::uint64_t active) const {
  VersionInfo info{.number = version.number,
                   .active = version.number == active,
                   .artifact = version.artifact->id(),
                   .source = version.source.hash,
                   .language = version.source.text == nullptr ? "wasm" : "wat",
                   .text = version.source.text == nullptr ? "" : *version.source.text,
                   .path = version.source.path == nullptr ? "" : *version.source.path,
                   .bytes = version.artifact->bytes().size(),
                   .time = version.time,
                   .origin = version.origin,
                   .metadata = version.metadata};
  info.imports = dependencies_of(version);
  if (describes_state(version.code->module())) {
    if (const auto schema = schema_of(*version.code, *account_.limits())) info.state = (*schema)->fields();
  }
  return info;
}

Version SandboxCore::version_of(LoadedModule loaded, VersionOrigin origin, std::map<std::string, std::string> metadata,
                                const VersionNeeds& needs) const {
  return Version{.artifact = loaded.code->artifact,
                 .code = std::move(loaded.code),
                 .source = std::move(loaded.source),
                 .time = services_.clock.wall_now(),
                 .origin = origin,
                 .metadata = std::move(metadata),
                 .needs = needs};
}

// The versions are described without a lock: each that has a schema is instantiated for it.
Result<ModuleHistory> SandboxCore::history(std::string_view module) {
  PETRI_TRY(const VersionTable table, modules_.versions(module));
  ModuleHistory history{.module = std::string(module),
                        .active = table.active().number,
                        .total = table.total(),
                        .versions = {},
                        .switches = table.switches()};
  for (const Version& version : std::ranges::reverse_view(table.versions())) {
    PETRI_TRY(must_exist());  // whoever destroys it meanwhile does not wait for the rest
    history.versions.push_back(info_of(version, history.active));
  }
  return history;
}

Result<std::vector<VersionInfo>> SandboxCore::versions(std::string_view module) {
  PETRI_TRY(ModuleHistory all, history(module));
  return std::move(all.versions);
}

// ---- load and stage -------------------------------------------------------------------------------------------

// A name that nobody has here yet.
Result<VersionInfo> SandboxCore::add_module(std::string_view name, VersionTable versions, WayIn way) {
  VersionInfo info = info_of(versions.active(), versions.active().number);
  const ArtifactPtr artifact = versions.active().artifact;
  PETRI_TRY(modules_.add(name, std::move(versions)));
  journal_.module_loaded(name, *artifact, way);
  return info;
}

Result<std::vector<std::string>> SandboxCore::dependencies(std::string_view module) {
  return modules_.dependencies(module);
}

Result<std::vector<std::string>> SandboxCore::reload_order() { return modules_.reload_order(); }

Result<VersionInfo> SandboxCore::load(std::string_view name, const Source& source, const VersionOptions& options) {
  const Operation operation(operation_, Operation::Reach::thread);
  PETRI_TRY(check_module_name(name));
  PETRI_TRY(modules_.must_be_new(name));
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(LoadedModule loaded, gate().load_or_report(name, source, WayIn::load));
  Version first = version_of(std::move(loaded), VersionOrigin::load, options.metadata, options.needs);
  return add_module(name, VersionTable(std::move(first), SwitchCause::load, options.actor), WayIn::load);
}

// The module is claimed. Code that is in the table already keeps its number.
Result<VersionInfo> SandboxCore::add_staged(std::string_view name, Version version, const std::string& actor) {
  PETRI_TRY(const auto staged, modules_.stage(name, std::move(version), account_.limits()->versions_max));
  VersionInfo info = info_of(staged.version, staged.active);
  if (!staged.is_new) return info;
  journal_.module_staged(name, info, actor);
  return info;
}

Result<VersionInfo> SandboxCore::stage(std::string_view name, const Source& source, const VersionOptions& options) {
  const Operation operation(operation_, Operation::Reach::thread);
  PETRI_TRY(must_exist());
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(const Claim claimed, claim({std::string(name)}));
  PETRI_TRY(LoadedModule loaded, gate().load_or_report(name, source, WayIn::stage));
  Version version = version_of(std::move(loaded), VersionOrigin::stage, options.metadata, options.needs);
  if (auto linked = modules_.link(name, version.code, version.needs); !linked) {
    journal_.module_rejected(name, WayIn::stage, linked.error());
    return fail(std::move(linked.error()));
  }
  return add_staged(name, std::move(version), options.actor);
}

// ---- between sandboxes ----------------------------------------------------------------------------------------

const std::string& ModuleArchive::name() const { return data_->name; }

Result<ModuleArchive> SandboxCore::export_module(std::string_view module) {
  PETRI_TRY(const VersionTable versions, modules_.versions(module));
  return ModuleArchive(std::make_shared<const SavedModule>(save_module(std::string(module), versions)));
}

Result<VersionInfo> SandboxCore::import_module(const ModuleArchive& archive) {
  const Operation operation(operation_, Operation::Reach::thread);
  PETRI_TRY(check_module_name(archive.name()));
  PETRI_TRY(modules_.must_be_new(archive.name()));
  PETRI_TRY(VersionTable versions, admit_versions(archive.data(), WayIn::import_module));
  return add_module(archive.name(), std::move(versions), WayIn::import_module);
}

Result<VersionInfo> SandboxCore::copy_version(SandboxCore& from, std::string_view module, std::uint64_t number,
                                              const VersionOptions& options) {
  const Operation operation(operation_, Operation::Reach::thread);
  PETRI_TRY(const ModuleArchive archive, from.export_module(module));
  const SavedModule& saved = archive.data();
  if (number == 0) number = saved.active;
  const auto found = std::ranges::find(saved.versions, number, &Version::number);
  if (found == saved.versions.end()) {
    return fail(ErrorCode::version_not_found,
                fmt::format("the module {} of {} has no version {}", module, from.id(), number));
  }
  PETRI_TRY(const Claim claimed, claim({std::string(module)}));
  PETRI_TRY(Version version, gate().load_saved(saved.name, *found, WayIn::copy_version));
  version.time = services_.clock.wall_now();
  version.origin = VersionOrigin::copy;
  version.before = 0;
  version.renames.clear();
  for (const auto& [key, value] : options.metadata) version.metadata[key] = value;
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(check_metadata(version.metadata));
  PETRI_TRY(modules_.link(module, version.code, version.needs));
  return add_staged(module, std::move(version), options.actor);
}

// ---- plan -----------------------------------------------------------------------------------------------------

Result<ReloadPlan> SandboxCore::plan(std::string_view name, const Source& source, const ReloadOptions& options) {
  const Operation operation(operation_, Operation::Reach::thread);
  wait_for_crashes();
  PETRI_TRY(modules_.active(name));
  ReloadTerms terms = reload_terms(options.policy, SwitchCause::reload, options.actor);
  terms.renames_given = !options.renames.empty();
  const bool drop = terms.policy.drop;
  PETRI_TRY(LoadedModule loaded, gate().load_or_report(name, source, WayIn::plan));
  ModuleChanges changes;
  PETRI_TRY(changes.emplace_back(), change_to(std::string(name), std::move(loaded), options));
  Reload reload(reload_parts(), std::move(terms), std::move(changes));
  PETRI_TRY(reload.link());
  ModuleChange& change = reload.change_of(name);
  ReloadPlan plan{.module = change.name, .from = change.from_number, .to = change.to_number};
  plan.no_change = change.from_number == change.to_number;
  if (plan.no_change) return plan;
  if (auto planned = reload.plan_state(change); !planned) {
    plan.refusal = std::move(planned.error());
    return plan;
  }
  plan.state = change.change->terms().way;
  if (plan.state != StateWay::described) return plan;
  PETRI_TRY(const auto from, schema_of(*change.from, *account_.limits()));
  PETRI_TRY(const auto to, schema_of(*change.to, *account_.limits()));
  PETRI_TRY(plan.plan, StatePlan::create(from, to, change.change->terms().renames, {.drop = drop}));
  if (const auto check = plan.plan->check(); !check) plan.refusal = check.error();
  return plan;
}

// ---- state ----------------------------------------------------------------------------------------------------

// Between two messages, and no later than the reload policy waits for quiet. What an isolated sandbox has frozen can be
// looked at.
template <typename Use>
auto SandboxCore::with_state(std::string_view name, Reach reach, Use use)
    -> decltype(use(std::declval<ProcessState&>())) {
  wait_for_crashes();
  PETRI_TRY(const ProcessPtr process, addressee(name, reach));
  if (const Inside* waits = inside(process->name())) {
    return would_wait_for(*waits, "use the state of " + process->name());
  }
  const Clock::TimePoint deadline = Reload::deadline_of(reload_policy());
  const Process::Frozen frozen = reach == Reach::frozen_too ? Process::Frozen::take : Process::Frozen::leave;
  Process::Taken taken = Process::Taken::at_work;
  while ((taken = process->try_take(frozen)) == Process::Taken::at_work) {
    if (process->wait_until_idle(deadline, {})) continue;
    return fail(ErrorCode::busy, fmt::format("the process {} did not come to rest in time", process->name()));
  }
  if (taken == Process::Taken::down) {
    return fail(ErrorCode::not_found, fmt::format("the process {} does not live right now", process->name()));
  }
  const LiveInstance& live = process->live();
  auto described = ProcessState::of(*live.code, *live.guest->instance(), account_.limits()->state_bytes_max);
  auto used = described ? use(*described) : fail(std::move(described.error()));
  process->put_back();
  return used;
}

Result<StateDocument> SandboxCore::state(std::string_view process) {
  return with_state(process, Reach::frozen_too, [](ProcessState& state) { return state.capture(); });
}

Result<void> SandboxCore::update_state(const std::vector<StateUpdate>& updates, std::string_view process) {
  return with_state(process, Reach::live, [&](ProcessState& state) -> Result<void> {
    PETRI_TRY(StateDocument document, state.capture());
    for (const StateUpdate& update : updates) {
      PETRI_TRY(document.set(update.name, update.value, update.index));
    }
    return state.restore(document);
  });
}

}  // namespace petri
