// The options of reload, activate, plan and rollback, as the library takes them.
#pragma once

#include "cli/shell/bound_arguments.h"
#include "petri/reload.h"

namespace petri::cli {

// The actor that the history names for reloads from the shell.
constexpr std::string_view kShellActor = "shell";

// Without policy options the sandbox's own policy holds; if one is given, the others have their defaults. Values that
// make no sense are validation_failed in one sentence.
Result<ReloadOptions> reload_options(const BoundArguments& arguments);
Result<RollbackOptions> rollback_options(const BoundArguments& arguments);
Result<petri::VersionOptions> version_options(const BoundArguments& arguments);

}  // namespace petri::cli
