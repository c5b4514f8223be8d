// Scripts that have a shell complete the words of petri: commands, options, values of closed lists, files.
#pragma once

#include <string>
#include <vector>

#include "cli/manual/command_description.h"

namespace petri::cli {

// `commands` has petri itself first, then each command.
std::string bash_completion(const std::vector<CommandDescription>& commands);
std::string zsh_completion(const std::vector<CommandDescription>& commands);
std::string fish_completion(const std::vector<CommandDescription>& commands);

}  // namespace petri::cli
