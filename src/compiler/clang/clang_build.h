// How a module in C or C++ is built: an object for each source, then one link.
#pragma once

#include "compiler/clang_job.h"
#include "compiler/language.h"

namespace petri {

Result<ModuleBuild> build_by_clang(const ModulePlan& plan, const BuildContext& context);

}  // namespace petri
