// Where the compile worker's executable is.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

constexpr std::string_view kWorkerName = "petri-compile-worker";
constexpr const char* kWorkerVariable = "PETRI_COMPILE_WORKER";

// Where it is looked for, first to last: `option` alone if it is not empty, else `variable` alone, else the places
// around the folder of the running program.
std::vector<std::string> worker_places(std::string_view option, std::string_view variable, std::string_view folder);

// The first of the places for this option that is an executable file; else not_found, naming all of them.
Result<std::string> find_worker(std::string_view option);

}  // namespace petri
