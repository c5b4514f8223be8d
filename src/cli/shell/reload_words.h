// The options of reload, activate, plan and rollback, as the library takes them.
#pragma once

#include "cli/shell/bound_arguments.h"
#include "petri/reload.h"

namespace petri::cli {

// Who the history says it was.
constexpr std::string_view kShellActor = "shell";

// What is not given is the sandbox's own policy; one option of the policy given, and the others are as they are by
// themselves. Values that make no sense are validation_failed in one sentence.
Result<ReloadOptions> reload_options(const BoundArguments& arguments);
Result<RollbackOptions> rollback_options(const BoundArguments& arguments);
Result<VersionOptions> version_options(const BoundArguments& arguments);

}  // namespace petri::cli
