// A value an option cannot have.
#pragma once

#include <stdexcept>
#include <string>

namespace petri::cli {

// Thrown by the callbacks that read option values, caught where the command line is parsed. The words are fit to be
// shown: what the caller typed is escaped in them.
struct OptionError : std::runtime_error {
  OptionError(const std::string& option, const std::string& why) : std::runtime_error(option + ": " + why) {}
};

}  // namespace petri::cli
