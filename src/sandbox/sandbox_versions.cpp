// Which versions the modules of a sandbox have, and what its processes know.
#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/escape.h"
#include "base/ids.h"
#include "sandbox/described_state.h"
#include "sandbox/sandbox_core.h"
#include "sandbox/state_way.h"
#include "sandbox/version_texts.h"

namespace petri {

// Of an instance that has not run: the table is constant.
Result<std::shared_ptr<const StateSchema>> SandboxCore::schema_of(const ModuleCode& code) const {
  const SandboxLimitsPtr limits = account_.limits();
  PETRI_TRY(const Instantiated made, code.best()->instantiate({}, limits->memory_bytes_max));
  if (made.instance == nullptr) return std::make_shared<const StateSchema>();
  PETRI_TRY(const DescribedState state, DescribedState::of(code.module(), *made.instance, limits->state_bytes_max));
  return state.schema();
}

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
  return info;
}

// Without a lock: an instance is made for it, which takes as long as its memory is large.
std::vector<StateField> SandboxCore::state_of(const ModuleCode& code) const {
  if (!describes_state(code.module())) return {};
  const auto schema = schema_of(code);
  return schema ? (*schema)->fields() : std::vector<StateField>();
}

Result<SandboxCore::Module*> SandboxCore::find_module(std::string_view name) {
  PETRI_TRY(must_exist_now());
  const auto found = modules_.find(name);
  if (found != modules_.end()) return &found->second;
  return no_module(escape_text(name, kSandboxIdBytesMax));
}

std::unexpected<Error> SandboxCore::no_module(std::string_view names) const {
  return fail(ErrorCode::not_found, fmt::format("the sandbox {} has no module {}", id(), names));
}

Version SandboxCore::version_of(Loaded loaded, VersionOrigin origin, std::map<std::string, std::string> metadata,
                                const VersionNeeds& needs) const {
  return Version{.artifact = loaded.code->artifact,
                 .code = std::move(loaded.code),
                 .source = std::move(loaded.source),
                 .time = services_.clock.wall_now(),
                 .origin = origin,
                 .metadata = std::move(metadata),
                 .needs = needs};
}

Result<ModuleHistory> SandboxCore::history(std::string_view module) {
  ModuleHistory history{.module = std::string(module)};
  std::vector<ModuleCodePtr> code;
  {
    MutexLock lock(mutex_);
    PETRI_TRY(Module * found, find_module(module));
    const VersionTable& table = past_of(*found).versions;
    history.active = table.active().number;
    history.total = table.total();
    history.switches = table.switches();
    for (const Version& version : std::ranges::reverse_view(table.versions())) {
      history.versions.push_back(info_of(version, history.active));
      code.push_back(version.code);
    }
  }
  for (std::size_t index = 0; index < code.size(); ++index) {
    PETRI_TRY(must_exist());  // whoever destroys it meanwhile does not wait for the rest
    history.versions[index].state = state_of(*code[index]);
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
  info.state = state_of(*versions.active().code);
  ModuleCodePtr code;
  {
    MutexLock lock(mutex_);
    PETRI_TRY(must_exist_now());
    PETRI_TRY(code, link_with_table_now(name, versions.active().code, versions.active().needs));
    Module module{.code = code, .past = std::make_unique<ModulePast>(std::move(versions))};
    if (!modules_.try_emplace(std::string(name), std::move(module)).second) return has_module(name);
  }
  tell_loaded(name, *code->artifact, way);
  return info;
}

std::unexpected<Error> SandboxCore::has_module(std::string_view name) const {
  return fail(ErrorCode::already_exists,
              fmt::format("the sandbox {} has a module {} already: reload() gives it other code", id(), name));
}

Result<void> SandboxCore::must_be_new(std::string_view name) const {
  PETRI_TRY(check_module_name(name));
  MutexLock lock(mutex_);
  PETRI_TRY(must_exist_now());
  if (modules_.contains(name)) return has_module(name);
  return {};
}

Result<VersionInfo> SandboxCore::load(std::string_view name, const Source& source, const VersionOptions& options) {
  const Operation operation(operation_, Operation::Reach::thread);
  PETRI_TRY(must_be_new(name));
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(Loaded loaded, let_in(name, source, WayIn::load));
  Version first = version_of(std::move(loaded), VersionOrigin::load, options.metadata, options.needs);
  return add_module(name, VersionTable(std::move(first), SwitchCause::load, options.actor), WayIn::load);
}

// The module is claimed. Code that is in the table already keeps its number.
Result<VersionInfo> SandboxCore::add_staged(std::string_view name, Version version, const std::string& actor) {
  std::vector<StateField> state = state_of(*version.code);
  VersionInfo info;
  {
    MutexLock lock(mutex_);
    PETRI_TRY(Module * module, find_module(name));
    VersionTable& versions = past_of(*module).versions;
    const Version* const known = versions.find(version.artifact->id());
    info = info_of(known == nullptr ? versions.add(std::move(version)) : *known, versions.active().number);
    info.state = std::move(state);
    if (known != nullptr) return info;
    versions.prune(account_.limits()->versions_max);
  }
  services_.events.publish(EventKind::module_staged, subject(),
                           [&](Event& event) { event.add("module", name).add("version", info.number); });
  tell_audit({.kind = AuditKind::module_staged, .sandbox = id(), .cause = actor},
             {{"module", name}, {"version", info.number}, {"artifact", info.artifact.hex()}});
  return info;
}

Result<VersionInfo> SandboxCore::stage(std::string_view name, const Source& source, const VersionOptions& options) {
  const Operation operation(operation_, Operation::Reach::thread);
  PETRI_TRY(must_exist());
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(const Claim claimed, claim({std::string(name)}));
  PETRI_TRY(Loaded loaded, let_in(name, source, WayIn::stage));
  Version version = version_of(std::move(loaded), VersionOrigin::stage, options.metadata, options.needs);
  if (auto linked = link_with_table(name, version.code, version.needs); !linked) {
    tell_rejected(name, WayIn::stage, linked.error());
    return fail(std::move(linked.error()));
  }
  return add_staged(name, std::move(version), options.actor);
}

// ---- between sandboxes ----------------------------------------------------------------------------------------

const std::string& ModuleArchive::name() const { return data_->name; }

Result<ModuleArchive> SandboxCore::export_module(std::string_view module) {
  MutexLock lock(mutex_);
  PETRI_TRY(Module * found, find_module(module));
  return ModuleArchive(std::make_shared<const SavedModule>(save_module(std::string(module), past_of(*found).versions)));
}

Result<VersionInfo> SandboxCore::import_module(const ModuleArchive& archive) {
  const Operation operation(operation_, Operation::Reach::thread);
  PETRI_TRY(must_be_new(archive.name()));
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
  PETRI_TRY(Version version, admit_saved(saved.name, *found, WayIn::copy_version));
  version.time = services_.clock.wall_now();
  version.origin = VersionOrigin::copy;
  version.before = 0;
  version.renames.clear();
  for (const auto& [key, value] : options.metadata) version.metadata[key] = value;
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(check_metadata(version.metadata));
  PETRI_TRY(link_with_table(module, version.code, version.needs));
  return add_staged(module, std::move(version), options.actor);
}

void SandboxCore::prune_versions(std::uint64_t versions_max) {
  MutexLock lock(mutex_);
  for (auto& [name, module] : modules_) {
    if (module.past != nullptr) module.past->versions.prune(versions_max);
  }
}

// ---- plan -----------------------------------------------------------------------------------------------------

Result<ReloadPlan> SandboxCore::plan(std::string_view name, const Source& source, const ReloadOptions& options) {
  const Operation operation(operation_, Operation::Reach::thread);
  wait_for_crashes();
  {
    MutexLock lock(mutex_);
    PETRI_TRY(find_module(name));
  }
  std::vector<Part> parts;
  PETRI_TRY(parts.emplace_back(), admit_part(std::string(name), source, options, WayIn::plan));
  PETRI_TRY(link_parts(parts));
  Part& part = *std::ranges::find(parts, name, &Part::name);
  ReloadPlan plan{.module = part.name, .from = part.from_number, .to = part.to_number};
  plan.no_change = part.from_number == part.to_number;
  if (plan.no_change) return plan;
  SwitchOptions how = switch_options(options.policy, SwitchCause::reload, options.actor);
  how.renames_given = !options.renames.empty();
  if (auto planned = plan_part(part, how); !planned) {
    plan.refusal = std::move(planned.error());
    return plan;
  }
  plan.state = part.change->terms().way;
  if (plan.state != StateWay::described) return plan;
  PETRI_TRY(const auto from, schema_of(*part.from));
  PETRI_TRY(const auto to, schema_of(*part.to));
  PETRI_TRY(plan.plan, StatePlan::create(from, to, part.change->terms().renames, {.drop = how.policy.drop}));
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
  const Clock::TimePoint deadline = deadline_of(reload_policy());
  const Process::Frozen frozen = reach == Reach::frozen_too ? Process::Frozen::take : Process::Frozen::leave;
  Process::Taken taken = Process::Taken::at_work;
  while ((taken = process->try_take(frozen)) == Process::Taken::at_work) {
    if (process->wait_until_idle(deadline, {})) continue;
    return fail(ErrorCode::busy, fmt::format("the process {} did not come to rest in time", process->name()));
  }
  if (taken == Process::Taken::down) {
    return fail(ErrorCode::not_found, fmt::format("the process {} does not live right now", process->name()));
  }
  const Life& life = process->life();
  auto described = ProcessState::of(*life.code, *life.guest->instance(), account_.limits()->state_bytes_max);
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
