// The diagnostics and errors of a compiler that ended badly, for all languages.
#pragma once

#include <string>
#include <vector>

#include "compiler/clang_job.h"
#include "compiler/language.h"

namespace petri {

JobLimits job_limits(const BuildContext& context);

// A warning for every report of a compile without a jail.
Diagnostic unjailed_warning();

// Adds what ended the compiler when no message of its own says so: a limit, a crash.
void add_end(ModuleBuild& build, const std::string& file, const JobResult& result, const CompileOptions& options);

// The first error among the diagnostics.
Error error_of(const std::vector<Diagnostic>& diagnostics, const ModulePlan& plan);

}  // namespace petri
