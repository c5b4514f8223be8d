// Where programs of this machine are.
#pragma once

#include <string>

namespace petri {

// The path that this environment variable gives, or the program of this name in PATH. Empty if it is no file that may
// be executed.
std::string find_program(const char* variable, const std::string& name);

}  // namespace petri
