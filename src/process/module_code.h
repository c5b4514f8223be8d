// A module as processes run it: checked, linked and loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "engine/loadable_artifact.h"
#include "tiering/hot_code.h"

namespace petri {

// Shared by all sandboxes that run it.
struct ModuleCode {
  ArtifactPtr artifact;
  BoundImports imports;
  CodePtr code;
  std::shared_ptr<HotCode> hot;  // none: it keeps its tier
  // Exports by their numbers.
  std::optional<std::uint32_t> init, handle, terminate, save, load, migrate, ready;

  const LoadableArtifact& module() const { return loadable(*artifact); }
  // What a new instance is made of.
  CodePtr best() const {
    CodePtr compiled = hot == nullptr ? nullptr : hot->compiled();
    return compiled == nullptr ? code : compiled;
  }
};
using ModuleCodePtr = std::shared_ptr<const ModuleCode>;

// Finds the hooks of a process among the exports.
ModuleCodePtr make_module_code(ArtifactPtr artifact, BoundImports imports, CodePtr code,
                               std::shared_ptr<HotCode> hot = nullptr);

}  // namespace petri
