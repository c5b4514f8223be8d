#include "sandbox/code/code_store.h"

#include <algorithm>
#include <cstring>

#include "host/link.h"

namespace petri {

std::size_t CodeStore::Hash::operator()(const Key& key) const {
  std::size_t hash = 0;
  std::memcpy(&hash, key.artifact.bytes.data(), sizeof(hash));
  return hash ^ static_cast<std::size_t>(key.tier);
}

ModuleCodePtr CodeStore::module_of(Entry& entry, const ArtifactPtr& artifact) {
  ModuleCodePtr module = entry.module.lock();
  if (module == nullptr) {
    entry.module = module =
        make_module_code(artifact, entry.imports, entry.code, entry.hot, entry.from_modules, entry.repeatable);
  }
  return module;
}

Result<ModuleCodePtr> CodeStore::load(const ArtifactPtr& artifact, Permissions permissions, Tier tier,
                                      const LoadOptions& options) {
  const Key key{.artifact = artifact->id(), .permissions = permissions, .tier = tier};
  {
    MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    if (found != entries_.end() && !found->second.artifact.expired()) return module_of(found->second, artifact);
  }
  PETRI_TRY(const Linked linked, link(loadable(*artifact), host_, permissions, Neighbours::may_be));
  const Tier first = tier == Tier::automatic ? Tier::interpreted : tier;
  PETRI_TRY(CodePtr code, loadable(*artifact).load(first, linked.imports, options));
  Entry loaded{.artifact = artifact,
               .imports = linked.imports,
               .from_modules = linked.from_modules,
               .code = std::move(code),
               .hot = nullptr,
               .repeatable = linked.repeatable,
               .module = {}};
  if (tier == Tier::automatic) {
    loaded.hot = std::make_shared<HotCode>(promoter_, artifact, linked.imports, hot_instances_);
  }
  MutexLock lock(mutex_);
  if (entries_.size() >= sweep_at_) sweep_entries();
  return module_of(entries_.insert_or_assign(key, std::move(loaded)).first->second, artifact);
}

// Code of artifacts that are gone is few, and goes before there is twice as much as of live ones.
std::size_t CodeStore::sweep_entries() {
  const std::size_t gone = std::erase_if(entries_, [](const auto& entry) { return entry.second.artifact.expired(); });
  sweep_at_ = std::max<std::size_t>(64, 2 * entries_.size());
  return gone;
}

std::size_t CodeStore::sweep() {
  MutexLock lock(mutex_);
  return sweep_entries();
}

std::size_t CodeStore::size() const {
  MutexLock lock(mutex_);
  return entries_.size();
}

}  // namespace petri
