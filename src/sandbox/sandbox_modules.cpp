// The modules that a sandbox is created with.
#include <algorithm>
#include <utility>

#include "base/heap_bytes.h"
#include "sandbox/sandbox_core.h"

namespace petri {

ModuleGate SandboxCore::gate() {
  return ModuleGate({.services = services_,
                     .policy = traits_->policy,
                     .account = account_,
                     .journal = journal_,
                     .sandbox = spec_.id,
                     .permissions = permissions(),
                     .deterministic = spec_.deterministic,
                     .tier = spec_.tier,
                     .stop = loading()});
}

// What is loaded needs its source no more; what is not may be asked for again.
Result<void> SandboxCore::load_modules() {
  std::shared_ptr<const std::vector<ModuleSpec>> sources;
  {
    MutexLock lock(mutex_);
    sources = sources_;
  }
  auto loaded = load_sources(*sources);
  if (!loaded) keep_failed_sources();
  if (loaded) services_.failed_sources.remove(this);
  if (loaded) drop_sources();
  return loaded;
}

void SandboxCore::keep_failed_sources() {
  std::uint64_t bytes = 0;
  {
    MutexLock lock(mutex_);
    if (failed_bytes_ > 0) return;  // it failed before
    for (const ModuleSpec& spec : *sources_) bytes += heap_bytes(spec.source.text());
    failed_bytes_ = bytes;
  }
  if (bytes == 0) return;
  account_.hold_anyway(bytes);
  services_.failed_sources.add(this, bytes, [self = weak_from_this()] {
    if (const auto core = self.lock()) core->drop_sources();
  });
}

// The names stay.
void SandboxCore::drop_sources() {
  auto names = std::make_shared<std::vector<ModuleSpec>>();
  MutexLock lock(mutex_);
  for (const ModuleSpec& spec : *sources_) names->push_back({spec.name, Source::artifact(nullptr)});
  sources_ = std::move(names);
  account_.let_go(std::exchange(failed_bytes_, 0));
}

Result<void> SandboxCore::load_sources(const std::vector<ModuleSpec>& sources) {
  auto all = gate().load_all(sources);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const ModuleSpec& spec = sources[index];
    PETRI_TRY(LoadedModule loaded, gate().report_if_rejected(spec.name, std::move(all[index]), WayIn::create));
    journal_.module_loaded(spec.name, *loaded.code->artifact, WayIn::create);
    modules_.put(spec.name, loaded.code, std::move(loaded.source), spec.needs);
  }
  return link_or_forget(WayIn::create);
}

// Modules that import from one another have the tree that they came with, whatever they import later.
Result<void> SandboxCore::check_all_links() {
  PETRI_TRY(const bool linked, modules_.check_all_links());
  MutexLock lock(mutex_);
  if (linked && tree_spec_ == nullptr) tree_spec_ = std::make_unique<SupervisorSpec>(tree_spec());
  return {};
}

// What cannot be linked does not stay: a restart loads it again.
Result<void> SandboxCore::link_or_forget(WayIn way) {
  auto linked = check_all_links();
  if (linked) return linked;
  modules_.clear();
  journal_.module_rejected(linked.error().detail("importer"), way, linked.error());
  return linked;
}

}  // namespace petri
