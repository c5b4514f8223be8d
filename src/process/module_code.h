// A module as processes run it: checked, linked and loaded.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "engine/loadable_artifact.h"

namespace petri {

struct ModuleCode {
  std::string name;
  ArtifactPtr artifact;
  BoundImports imports;
  CodePtr code;
  // Exports by their numbers.
  std::optional<std::uint32_t> init, handle, terminate;

  const LoadableArtifact& module() const { return loadable(*artifact); }
};
using ModuleCodePtr = std::shared_ptr<const ModuleCode>;

// Finds the hooks of a process among the exports.
ModuleCodePtr make_module_code(std::string name, ArtifactPtr artifact, BoundImports imports, CodePtr code);

}  // namespace petri
