// The compiled code that an evaluator keeps for candidates that come back.
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

// A cache of at most `modules_max` modules; the one not used the longest is dropped first, and a guest that still runs
// it keeps it alive. Any thread.
class CompiledModules {
 public:
  explicit CompiledModules(std::size_t modules_max) : modules_(modules_max) {}

  // The module by its hash, which then counts as used; nullopt when it is not kept.
  std::optional<CompiledModule> find(const ArtifactId& artifact) EXCLUDES(mutex_);
  void insert(CompiledModule module) EXCLUDES(mutex_);
  // Without the lock, so it may be out of date: a hint whether find() is worth calling.
  std::size_t size() const { return size_.load(std::memory_order_relaxed); }

 private:
  struct Hash {
    std::size_t operator()(const ArtifactId& artifact) const { return hash_of(artifact); }
  };

  // Asked for every candidate, and empty until something is hot.
  std::atomic<std::size_t> size_{0};
  Mutex mutex_;
  LruMap<ArtifactId, CompiledModule, Hash> modules_ GUARDED_BY(mutex_);
};

}  // namespace petri
