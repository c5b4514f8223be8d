// petri scan FILE...: what modules would do, read from their wasm.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/artifact.h"
#include "petri/limits.h"
#include "petri/scan.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct ScanOptions {
  std::vector<std::string> files;  // and folders of them; "-": stdin
  Limits limits{.module_bytes_max = kProgramBytesMax};
  std::optional<Severity> fail_on;
  Severity shown_from = Severity::info;  // findings below are counted and not listed
  bool json = false;
};

CLI::App* add_scan(CLI::App& app, ScanOptions& options);

ExitCode execute(const ScanOptions& options, Console& console);

}  // namespace petri::cli
