// How commands tell an error.
#pragma once

#include <string_view>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/result.h"

namespace petri::cli {

// Lines end without a full stop, whether the sentence had one or not.
std::string_view without_full_stop(std::string_view message);

// "error: ..." on stderr; with `json` {"error": {...}} on stdout instead. Returns the exit code that belongs to it.
ExitCode report_error(const Error& error, bool json, Console& console);

}  // namespace petri::cli
