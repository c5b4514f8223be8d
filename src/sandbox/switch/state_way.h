// The way by which state crosses from one version of a module to another.
#pragma once

#include <string_view>

#include "petri/reload.h"
#include "process/instance/module_code.h"

namespace petri {

// The way that was asked for, or the best there is; never StateWay::best. state_incompatible when there is none, and
// says why not.
Result<StateWay> choose_way(StateWay asked, std::string_view module, const ModuleCode& from, const ModuleCode& to);

// Functions that callers of `from` could call and callers of `to` could not, in one `rejected`.
Result<void> check_exports(std::string_view module, const ModuleCode& from, const ModuleCode& to);

}  // namespace petri
