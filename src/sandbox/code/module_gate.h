// The gate: every way in for the code of a sandbox passes it.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "modules/version_table.h"
#include "petri/source.h"
#include "petri/versions.h"
#include "process/account/tree_account.h"
#include "sandbox/code/compiled_modules.h"
#include "sandbox/code/source_news.h"
#include "sandbox/journal/journal.h"
#include "sandbox/sandbox_services.h"
#include "sandbox/spec/spec_check.h"

namespace petri {

// A module that has passed, and what it was made of.
struct AdmittedModule {
  ArtifactPtr artifact;
  SourceFacts source;
};
struct LoadedModule {
  ModuleCodePtr code;
  SourceFacts source;
};

// A version of it; its number is given by the table, its needs and metadata by the caller.
Version version_of(LoadedModule loaded, VersionOrigin origin, WallTime time);

// Sizes and structure, then import rules, findings of the scan, block list and quarantine, in this order. Import rules
// and findings never change for a sandbox; what has passed may be blocked or in quarantine since. Any thread; it holds
// no lock while it reads, scans, links or compiles.
class ModuleGate {
 public:
  // All of one sandbox, as of now; what is referred to outlives the gate.
  struct Terms {
    const SandboxServices& services;
    const SandboxPolicy& policy;
    const TreeAccount& account;
    Journal& journal;
    const std::string& sandbox;
    Permissions permissions;
    bool deterministic = false;
    Tier tier = Tier::automatic;
    std::stop_token stop;        // ends a compilation as `cancelled`
    SourceNews* news = nullptr;  // for the reports of compiles
  };
  explicit ModuleGate(Terms terms) : terms_(std::move(terms)) {}

  Result<AdmittedModule> admit(const Source& source) const;
  // All of it, for code that was admitted before and is to become active.
  Result<void> admit_again(const ArtifactPtr& artifact) const;
  // That it is neither blocked nor in quarantine by now.
  Result<void> check_standing(const Artifact& artifact) const;

  // Compiles a folder at once, for those of these modules of the sandbox that it has. validation_failed if none is.
  Result<std::vector<ModuleSpec>> compile_folder(const Source& folder, const std::vector<ModulePlace>& modules) const;

  Result<LoadedModule> load(const Source& source) const;
  // Side by side where that pays: one does not need another to be checked and loaded.
  std::vector<Result<LoadedModule>> load_all(const std::vector<ModuleSpec>& modules) const;

  // Loads; a module that is rejected is reported, and the error names it.
  Result<LoadedModule> load_or_report(std::string_view module, const Source& source, WayIn way) const {
    return report_if_rejected(module, load(source), way);
  }
  Result<LoadedModule> report_if_rejected(std::string_view module, Result<LoadedModule> loaded, WayIn way) const;
  // A version of a snapshot or an archive, with the code it had.
  Result<Version> load_saved(const std::string& module, Version saved, WayIn way) const;

 private:
  Result<AdmittedModule> read(const Source& source) const;
  Result<AdmittedModule> read_within(const Source& source, std::uint64_t bytes_max) const;
  Result<AdmittedModule> compile(const Source& source, std::uint64_t bytes_max) const;
  Result<CompileReport> compile_all(const Source& source, std::uint64_t bytes_max) const;
  Result<void> check_blocked(const Artifact& artifact) const;
  Result<void> check_policy(const Artifact& artifact) const;
  Result<LoadedModule> load_saved_code(const Version& saved) const;
  Result<ArtifactPtr> within_bounds(const ArtifactPtr& artifact, std::uint64_t bytes_max) const;
  ModuleBounds bounds() const { return terms_.policy.bounds; }
  std::uint64_t bytes_max() const { return terms_.account.limits()->module_bytes_max; }

  const Terms terms_;
};

// Where a gate comes from: permissions and what ends a compilation change, so one is asked for at the time it is used.
class GateSource {
 public:
  virtual ~GateSource() = default;
  virtual ModuleGate gate() = 0;
};

}  // namespace petri
