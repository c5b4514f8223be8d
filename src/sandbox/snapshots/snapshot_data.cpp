#include "sandbox/snapshots/snapshot_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>

#include "sandbox/code/module_gate.h"

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

Result<void> check_same_processes(const SnapshotData& data, const std::vector<LivePlace>& here) {
  std::set<std::string_view> live;
  for (const LivePlace& place : here) {
    const SavedProcess* const saved = data.find(place.address);
    if (saved == nullptr || saved->module != place.module) {
      return fail(ErrorCode::state_incompatible,
                  fmt::format("the snapshot has no process {} of {}, which lives now", place.address, place.module));
    }
    live.insert(place.address);
  }
  for (const SavedProcess& saved : data.processes) {
    if (live.contains(saved.address)) continue;
    return fail(ErrorCode::state_incompatible,
                fmt::format("the process {} of the snapshot does not live now", saved.address));
  }
  return {};
}

Result<VersionTable> admit_versions(const ModuleGate& gate, const SavedModule& saved, std::uint64_t versions_max,
                                    WayIn way) {
  VersionTable kept(saved.versions, saved.switches, saved.active, saved.total);
  kept.prune(versions_max);
  std::vector<Version> versions;
  for (const Version& one : kept.versions()) {
    PETRI_TRY(Version version, gate.load_saved(saved.name, one, way));
    versions.push_back(std::move(version));
  }
  return VersionTable(std::move(versions), saved.switches, saved.active, saved.total);
}

}  // namespace petri
