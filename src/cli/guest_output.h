// Sends a guest's log lines to the console. Its other bytes go there as they are: OutputStream makes them harmless.
#pragma once

#include <string>
#include <string_view>

#include "petri/run.h"

namespace petri::cli {

// One line of a guest's log: "log info: ..."
std::string log_line(LogLevel level, std::string_view text);

}  // namespace petri::cli
