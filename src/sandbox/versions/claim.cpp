#include "sandbox/versions/claim.h"

namespace petri {

Result<Claim> Claim::take(Standing& standing, ModuleTable& modules, std::vector<std::string> names) {
  {
    MutexLock lock(standing.mutex());
    PETRI_TRY(standing.must_be_changeable_now());
    PETRI_TRY(modules.claim(names));
  }
  standing.advance(LifecycleEvent::change);
  return Claim(standing, modules, std::move(names));
}

void Claim::release() {
  ModuleTable* const modules = std::exchange(modules_, nullptr);
  if (modules != nullptr && modules->release(names_)) standing_.advance(LifecycleEvent::changed);
}

}  // namespace petri
