// Loaded code by artifact, tier and permissions: shared by every sandbox that runs it, for as long as the artifact
// lives.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "base/mutex.h"
#include "engine/loadable_artifact.h"
#include "petri/host_functions.h"
#include "petri/policy.h"
#include "petri/result.h"
#include "petri/tier.h"
#include "process/instance/module_code.h"
#include "tiering/hot_code.h"

namespace petri {

// Any thread. Loading is done outside the lock.
class CodeStore {
 public:
  // Both outlive the store. So many live instances make an artifact hot.
  CodeStore(const HostFunctions& host, Promoter& promoter, std::uint64_t hot_instances, MachineCodeOptions compile)
      : host_(host), promoter_(promoter), hot_instances_(hot_instances), compile_(std::move(compile)) {}

  // `automatic` starts interpreted. A stop ends a compilation as `cancelled`.
  Result<ModuleCodePtr> load(const ArtifactPtr& artifact, Permissions permissions, Tier tier,
                             const std::stop_token& stop = {}) EXCLUDES(mutex_) {
    return load(artifact, permissions, tier, LoadOptions{.compile = compile_, .stop = stop});
  }
  // With other bounds for the compiler than the runtime's: code that is found here is given whatever the options say.
  Result<ModuleCodePtr> load(const ArtifactPtr& artifact, Permissions permissions, Tier tier,
                             const LoadOptions& options) EXCLUDES(mutex_);
  const MachineCodeOptions& compile_options() const { return compile_; }
  // Forgets code whose artifact nobody has any more, and returns how much.
  std::size_t sweep() EXCLUDES(mutex_);
  std::size_t size() const EXCLUDES(mutex_);

 private:
  struct Key {
    ArtifactId artifact;
    Permissions permissions;
    Tier tier = Tier::interpreted;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  // An artifact's facts for the next run stay for as long as anybody has the artifact; the module itself, which keeps
  // the artifact, for as long as somebody runs it.
  struct Entry {
    std::weak_ptr<const Artifact> artifact;
    BoundImports imports;
    std::vector<ModuleImport> from_modules;
    CodePtr code;
    std::shared_ptr<HotCode> hot;  // of Tier::automatic
    bool repeatable = false;
    std::weak_ptr<const ModuleCode> module;
  };
  static ModuleCodePtr module_of(Entry& entry, const ArtifactPtr& artifact);
  std::size_t sweep_entries() REQUIRES(mutex_);

  const HostFunctions& host_;
  Promoter& promoter_;
  const std::uint64_t hot_instances_;
  const MachineCodeOptions compile_;
  mutable Mutex mutex_;
  std::unordered_map<Key, Entry, Hash> entries_ GUARDED_BY(mutex_);
  std::size_t sweep_at_ GUARDED_BY(mutex_) = 64;
};

}  // namespace petri
