// The verbs of a runtime about sources that are watched, and about artifacts that are blocked.
#include <fmt/format.h>

#include "base/ids.h"
#include "base/text/escape.h"
#include "runtime/runtime_impl.h"

namespace petri {
namespace {

Result<CorePtr> core_of(const Registry& registry, std::string_view id) {
  CorePtr core = registry.find(id);
  if (core != nullptr) return core;
  return fail(ErrorCode::not_found, fmt::format("there is no sandbox {}", escape_text(id, kSandboxIdBytesMax)));
}

}  // namespace

Result<std::vector<WatchInfo>> Runtime::watch(std::string_view id, const WatchSpec& spec) {
  PETRI_TRY(const CorePtr core, core_of(impl_->registry, id));
  PETRI_TRY(Watches* const watches, impl_->watches());
  return watches->watch(core, spec);
}

Result<void> Runtime::unwatch(std::string_view id, std::string_view path) {
  PETRI_TRY(const CorePtr core, core_of(impl_->registry, id));
  PETRI_TRY(Watches* const watches, impl_->watches());
  return watches->unwatch(core, path);
}

Result<std::vector<WatchInfo>> Runtime::enable_auto_reload(std::string_view id, const WatchSpec& spec) {
  PETRI_TRY(const CorePtr core, core_of(impl_->registry, id));
  PETRI_TRY(Watches* const watches, impl_->watches());
  return watches->watch_modules(core, spec);
}

Result<void> Runtime::disable_auto_reload(std::string_view id) {
  PETRI_TRY(const CorePtr core, core_of(impl_->registry, id));
  PETRI_TRY(Watches* const watches, impl_->watches());
  return watches->unwatch_modules(core);
}

// ---- blocked artifacts ----------------------------------------------------------------------------------------

Result<void> Runtime::block_artifact(const ArtifactId& artifact, std::string reason) {
  return impl_->blocked.add(artifact, std::move(reason));
}

Result<void> Runtime::unblock_artifact(const ArtifactId& artifact) { return impl_->blocked.remove(artifact); }

std::vector<BlockedArtifact> Runtime::blocked_artifacts() const { return impl_->blocked.all(); }

}  // namespace petri
