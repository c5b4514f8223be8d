#include "tiering/compiled_modules.h"

namespace petri {

std::optional<CompiledModule> CompiledModules::find(const ArtifactId& artifact) {
  if (size() == 0) return std::nullopt;
  const MutexLock lock(mutex_);
  const CompiledModule* const module = modules_.find(artifact);
  if (module == nullptr) return std::nullopt;
  return *module;
}

void CompiledModules::insert(CompiledModule module) {
  const ArtifactId id = module.artifact->id();
  const MutexLock lock(mutex_);
  modules_.insert(id, std::move(module));
  size_.store(modules_.size(), std::memory_order_relaxed);
}

}  // namespace petri
