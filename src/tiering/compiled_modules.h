// The compiled code an evaluator keeps.
#pragma once

#include <atomic>
#include <optional>

#include "base/mutex.h"
#include "engine/loadable_artifact.h"
#include "tiering/lru_map.h"

namespace petri {

struct CompiledModule {
  ArtifactPtr artifact;
  CodePtr code;
};

// At most `modules_max`; the one not used the longest goes first, though whoever runs it keeps it alive. Any thread.
class CompiledModules {
 public:
  explicit CompiledModules(std::size_t modules_max) : modules_(modules_max) {}

  std::optional<CompiledModule> find(const ArtifactId& artifact) EXCLUDES(mutex_);
  void insert(CompiledModule module) EXCLUDES(mutex_);
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  struct Hash {
    std::size_t operator()(const ArtifactId& artifact) const { return hash_of(artifact.sha256); }
  };

  // Asked for every candidate, and empty until something is hot.
  std::atomic<std::size_t> size_{0};
  Mutex mutex_;
  LruMap<ArtifactId, CompiledModule, Hash> modules_ GUARDED_BY(mutex_);
};

}  // namespace petri
