// Chooses the exported function that a run calls, and reads its arguments.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "petri/artifact.h"
#include "petri/result.h"

namespace petri::cli {

// The function of this name; without a name `_start` if there is one, else the only function there is. `_initialize` is
// called by every run and never counts. not_found or validation_failed list what could be called.
Result<const ExportInfo*> choose_function(const Artifact& artifact, const std::optional<std::string>& name);

// The texts as numbers of the function's parameter types; validation_failed names the first that does not fit, or says
// how many are expected.
Result<std::vector<Value>> parse_arguments(const ExportInfo& function, const std::vector<std::string>& texts);

}  // namespace petri::cli
