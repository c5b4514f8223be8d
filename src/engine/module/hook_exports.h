// The exports whose names petri gives a meaning to.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "engine/loadable_artifact.h"

namespace petri {

struct HookExport {
  std::string_view name;
  std::string_view must_be;  // "a function of type () -> i32"
};
std::span<const HookExport> hook_exports();

// rejected, naming the export, when a hook's name is given to something of another kind or type.
Result<void> check_hook_export(const ExportView& view);

}  // namespace petri
