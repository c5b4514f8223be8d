// petri audit verify FILE: follows the chain of an audit file.
#pragma once

#include <optional>
#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct AuditVerifyOptions {
  std::string file;
  std::optional<std::string> contains;  // a hash, in hexadecimal digits
  bool json = false;
};

// The command audit, with the command verify below it.
CLI::App* add_audit(CLI::App& app, AuditVerifyOptions& options);

ExitCode execute(const AuditVerifyOptions& options, Console& console);

}  // namespace petri::cli
