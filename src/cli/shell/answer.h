// The answer of a verb of the shell.
#pragma once

#include <string>

#include "cli/exit_code.h"
#include "cli/json.h"

namespace petri::cli {

// Both forms of the same answer; the shell prints one of them.
struct Answer {
  std::string text;            // whole lines for stdout, fit for a terminal
  std::string notes;           // whole lines for stderr: how it went
  Json json = Json::object();  // what follows "line" and "verb" in the object
  ExitCode code = ExitCode::ok;
  bool comes_first = false;  // before news, which may be about what was just started
  bool quits = false;
};

}  // namespace petri::cli
