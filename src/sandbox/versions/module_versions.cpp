#include "sandbox/versions/module_versions.h"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>

#include "base/access.h"
#include "base/ids.h"
#include "sandbox/snapshots/snapshot_data.h"
#include "sandbox/switch/described_state.h"
#include "sandbox/versions/version_texts.h"

namespace petri {

const std::string& ModuleArchive::name() const { return data_->name; }

// ---- what is kept ---------------------------------------------------------------------------------------------

std::vector<ModuleDependency> dependencies_of(const Version& version) {
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

namespace {

std::string language_of(const SourceFacts& source) {
  if (!source.language.empty()) return source.language;
  return source.text == nullptr ? "wasm" : "wat";
}

}  // namespace

VersionInfo ModuleVersions::describe(const Version& version, std::uint64_t active) const {
  VersionInfo info{.number = version.number,
                   .active = version.number == active,
                   .artifact = version.artifact->id(),
                   .source = version.source.hash,
                   .language = language_of(version.source),
                   .text = version.source.text == nullptr ? "" : *version.source.text,
                   .path = version.source.path == nullptr ? "" : *version.source.path,
                   .bytes = version.artifact->bytes().size(),
                   .time = version.time,
                   .origin = version.origin,
                   .metadata = version.metadata};
  info.imports = dependencies_of(version);
  if (describes_state(version.code->module())) {
    if (const auto schema = schema_of(*version.code, *limits())) info.state = (*schema)->fields();
  }
  return info;
}

// Asks a copy of the table, so that no lock is held while versions are instantiated for their schema.
Result<ModuleHistory> ModuleVersions::history(std::string_view module) const {
  PETRI_TRY(const VersionTable table, parts_.reload.modules.versions(module));
  ModuleHistory history{.module = std::string(module),
                        .active = table.active().number,
                        .total = table.total(),
                        .versions = {},
                        .switches = table.switches()};
  for (const Version& version : std::ranges::reverse_view(table.versions())) {
    PETRI_TRY(parts_.standing.must_exist());  // whoever destroys it meanwhile does not wait for the rest
    history.versions.push_back(describe(version, history.active));
  }
  return history;
}

Result<std::vector<VersionInfo>> ModuleVersions::versions(std::string_view module) const {
  PETRI_TRY(ModuleHistory all, history(module));
  return std::move(all.versions);
}

// ---- load and stage -------------------------------------------------------------------------------------------

Result<VersionInfo> ModuleVersions::add(std::string_view module, VersionTable versions, WayIn way) const {
  VersionInfo info = describe(versions.active(), versions.active().number);
  const ArtifactPtr artifact = versions.active().artifact;
  PETRI_TRY(parts_.reload.modules.add(module, std::move(versions)));
  parts_.reload.journal.module_loaded(module, *artifact, way);
  return info;
}

Result<VersionInfo> ModuleVersions::load(std::string_view module, const Source& source,
                                         const VersionOptions& options) const {
  const Operation operation(parts_.operation, Operation::Reach::thread);
  PETRI_TRY(check_module_name(module));
  PETRI_TRY(parts_.reload.modules.must_be_new(module));
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(LoadedModule loaded, parts_.reload.host.gate().load_or_report(module, source, WayIn::load));
  Version first = version_of(std::move(loaded), VersionOrigin::load, parts_.reload.owner.clock().wall_now());
  first.metadata = options.metadata;
  first.needs = options.needs;
  return add(module, VersionTable(std::move(first), SwitchCause::load, options.actor), WayIn::load);
}

// The module is claimed.
Result<VersionInfo> ModuleVersions::add_staged(std::string_view module, Version version,
                                               const std::string& actor) const {
  PETRI_TRY(const auto staged, parts_.reload.modules.stage(module, std::move(version), limits()->versions_max));
  VersionInfo info = describe(staged.version, staged.active);
  if (staged.is_new) parts_.reload.journal.module_staged(module, info, actor);
  return info;
}

Result<VersionInfo> ModuleVersions::stage(std::string_view module, const Source& source,
                                          const VersionOptions& options) const {
  const Operation operation(parts_.operation, Operation::Reach::thread);
  PETRI_TRY(parts_.standing.must_exist());
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(const Claim claimed, changes_.claim({std::string(module)}));
  PETRI_TRY(LoadedModule loaded, parts_.reload.host.gate().load_or_report(module, source, WayIn::stage));
  Version version = version_of(std::move(loaded), VersionOrigin::stage, parts_.reload.owner.clock().wall_now());
  version.metadata = options.metadata;
  version.needs = options.needs;
  if (auto linked = parts_.reload.modules.link(module, version.code, version.needs); !linked) {
    parts_.reload.journal.module_rejected(module, WayIn::stage, linked.error());
    return fail(std::move(linked.error()));
  }
  return add_staged(module, std::move(version), options.actor);
}

// ---- between sandboxes ----------------------------------------------------------------------------------------

Result<ModuleArchive> ModuleVersions::export_module(std::string_view module) const {
  PETRI_TRY(const VersionTable versions, parts_.reload.modules.versions(module));
  return ModuleArchive(std::make_shared<const SavedModule>(save_module(std::string(module), versions)));
}

Result<VersionInfo> ModuleVersions::import_module(const ModuleArchive& archive) const {
  const Operation operation(parts_.operation, Operation::Reach::thread);
  PETRI_TRY(check_module_name(archive.name()));
  PETRI_TRY(parts_.reload.modules.must_be_new(archive.name()));
  PETRI_TRY(VersionTable versions, admit_versions(parts_.reload.host.gate(), detail::Access::data(archive),
                                                  limits()->versions_max, WayIn::import_module));
  return add(archive.name(), std::move(versions), WayIn::import_module);
}

Result<VersionInfo> ModuleVersions::copy_version(const ModuleVersions& from, std::string_view module,
                                                 std::uint64_t number, const VersionOptions& options) const {
  const Operation operation(parts_.operation, Operation::Reach::thread);
  PETRI_TRY(const ModuleArchive archive, from.export_module(module));
  const SavedModule& saved = detail::Access::data(archive);
  if (number == 0) number = saved.active;
  const auto found = std::ranges::find(saved.versions, number, &Version::number);
  if (found == saved.versions.end()) {
    return fail(ErrorCode::version_not_found,
                fmt::format("the module {} of {} has no version {}", module, from.parts_.sandbox, number));
  }
  PETRI_TRY(const Claim claimed, changes_.claim({std::string(module)}));
  PETRI_TRY(Version version, parts_.reload.host.gate().load_saved(saved.name, *found, WayIn::copy_version));
  version.time = parts_.reload.owner.clock().wall_now();
  version.origin = VersionOrigin::copy;
  version.before = 0;
  version.renames.clear();
  for (const auto& [key, value] : options.metadata) version.metadata[key] = value;
  PETRI_TRY(check_version_texts(options));
  PETRI_TRY(check_metadata(version.metadata));
  PETRI_TRY(parts_.reload.modules.link(module, version.code, version.needs));
  return add_staged(module, std::move(version), options.actor);
}

}  // namespace petri
