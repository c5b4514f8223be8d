#include "sandbox/code/module_sources.h"

#include <algorithm>
#include <utility>

#include "base/heap_bytes.h"
#include "sandbox/trees/tree_spec.h"

namespace petri {
namespace {

std::vector<std::string> names_of(const std::vector<ModuleSpec>& modules) {
  std::vector<std::string> names;
  names.reserve(modules.size());
  for (const ModuleSpec& module : modules) names.push_back(module.name);
  return names;
}

}  // namespace

ModuleSources::ModuleSources(const Parts& parts, std::vector<ModuleSpec> sources)
    : parts_(parts),
      names_(names_of(sources)),
      sources_(std::make_shared<const std::vector<ModuleSpec>>(std::move(sources))) {}

std::shared_ptr<const std::vector<ModuleSpec>> ModuleSources::all() const {
  {
    MutexLock lock(mutex_);
    if (sources_ != nullptr) return sources_;
  }
  auto dropped = std::make_shared<std::vector<ModuleSpec>>();
  for (const std::string& name : names_) dropped->push_back({name, Source::artifact(nullptr)});
  return dropped;
}

// A loaded module needs its source no more; one that failed may be loaded again.
Result<void> ModuleSources::load(const ModuleGate& gate, TreeSpec& tree) {
  auto loaded = load_all(*all(), gate);
  if (loaded) loaded = link(tree, WayIn::create);
  if (loaded) {
    forget();
  } else {
    keep_failed();
  }
  return loaded;
}

Result<void> ModuleSources::load_all(const std::vector<ModuleSpec>& sources, const ModuleGate& gate) {
  auto all = gate.load_all(sources);
  for (std::size_t index = 0; index < all.size(); ++index) {
    const ModuleSpec& spec = sources[index];
    PETRI_TRY(LoadedModule loaded, gate.report_if_rejected(spec.name, std::move(all[index]), WayIn::create));
    parts_.journal.module_loaded(spec.name, *loaded.code->artifact, WayIn::create);
    parts_.table.put(spec.name, loaded.code, std::move(loaded.source), spec.needs);
  }
  return {};
}

// Modules that import from one another keep the tree that they came with, whatever they import later.
Result<void> ModuleSources::link(TreeSpec& tree, WayIn way) {
  auto linked = parts_.table.check_all_links();
  if (!linked) {
    parts_.table.clear();
    parts_.journal.module_rejected(linked.error().detail("importer"), way, linked.error());
    return fail(std::move(linked.error()));
  }
  if (*linked) tree.pin();
  return {};
}

void ModuleSources::keep_failed() {
  std::uint64_t bytes = 0;
  {
    MutexLock lock(mutex_);
    if (failed_bytes_ > 0 || sources_ == nullptr) return;  // it failed before
    for (const ModuleSpec& spec : *sources_) bytes += heap_bytes(spec.source.text());
    failed_bytes_ = bytes;
  }
  if (bytes == 0) return;
  parts_.services.account().hold_anyway(bytes);
  parts_.failed.add(this, bytes, [this, weak = std::weak_ptr(parts_.services.keep_alive())] {
    if (const auto kept = weak.lock()) drop();
  });
}

void ModuleSources::replace(const std::vector<ModuleSpec>& modules) {
  parts_.failed.remove(this);
  MutexLock lock(mutex_);
  parts_.services.account().let_go(std::exchange(failed_bytes_, 0));
  auto sources = std::make_shared<std::vector<ModuleSpec>>(*sources_);
  for (ModuleSpec& spec : *sources) {
    const auto found = std::ranges::find(modules, spec.name, &ModuleSpec::name);
    if (found != modules.end()) spec.source = found->source;
  }
  sources_ = std::move(sources);
}

void ModuleSources::drop() {
  MutexLock lock(mutex_);
  sources_ = nullptr;
  parts_.services.account().let_go(std::exchange(failed_bytes_, 0));
}

void ModuleSources::forget() {
  parts_.failed.remove(this);
  drop();
}

}  // namespace petri
