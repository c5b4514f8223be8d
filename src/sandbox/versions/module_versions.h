// The verbs about the versions of modules that change no running code: load, stage, history, export, import, copy.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "petri/versions.h"
#include "sandbox/reload/reloads.h"

namespace petri {

// It has no state, and is as cheap to make as a copy of its parts. Any thread; it holds no lock while code is read,
// checked, loaded or described.
class ModuleVersions {
 public:
  explicit ModuleVersions(const Reloads::Parts& parts) : parts_(parts), changes_(parts) {}

  // The versions that are kept, newest first. A version that describes its state is instantiated for that, and takes as
  // long.
  Result<ModuleHistory> history(std::string_view module) const;
  Result<std::vector<VersionInfo>> versions(std::string_view module) const;

  // A module that the sandbox does not have yet, with its first version.
  Result<VersionInfo> load(std::string_view module, const Source& source, const VersionOptions& options) const;
  // A version that is not active. Code that is in the table already keeps its number.
  Result<VersionInfo> stage(std::string_view module, const Source& source, const VersionOptions& options) const;

  // ---- between sandboxes

  Result<ModuleArchive> export_module(std::string_view module) const;
  Result<VersionInfo> import_module(const ModuleArchive& archive) const;
  // 0: the active one. It is staged here.
  Result<VersionInfo> copy_version(const ModuleVersions& from, std::string_view module, std::uint64_t number,
                                   const VersionOptions& options) const;

 private:
  SandboxLimitsPtr limits() const { return parts_.reload.owner.account().limits(); }
  VersionInfo describe(const Version& version, std::uint64_t active) const;
  Result<VersionInfo> add(std::string_view module, VersionTable versions, WayIn way) const;
  Result<VersionInfo> add_staged(std::string_view module, Version version, const std::string& actor) const;

  const Reloads::Parts parts_;
  const Reloads changes_;
};

// The needs of a version: what it imports first, then what it only says that it needs.
std::vector<ModuleDependency> dependencies_of(const Version& version);

}  // namespace petri
