// How a module is built by a compiler that is a program of its own: started in the jail for each module, with the
// sources of the module in its folder.
#pragma once

#include <string>
#include <vector>

#include "compiler/jail/jail.h"
#include "compiler/language.h"

namespace petri {

// The form in which the program writes where something is wrong.
enum class MessageForm : std::uint8_t { assemblyscript, rust };

struct ProgramJob {
  std::vector<JailMount> mounts;       // beside the libraries of the machine
  std::vector<std::string> arguments;  // the program's path first; it writes the module to ../out/artifact
  std::vector<std::string> environment;
  std::vector<std::string> identity_files;  // files of this machine that a new version of the compiler replaces
};

// The same limits, cache and refusals as for C.
Result<ModuleBuild> build_by_program(const ModulePlan& plan, const BuildContext& context, ProgramJob job,
                                     MessageForm form);

std::vector<Diagnostic> program_diagnostics(std::string_view messages, MessageForm form);

}  // namespace petri
