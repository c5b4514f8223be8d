// petri verify FILE: runs the candidates of a records file again and compares.
#pragma once

#include <cstdint>
#include <string>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/records.h"
#include "petri/tier.h"

namespace CLI {
class App;
}

namespace petri::cli {

struct VerifyFileOptions {
  std::string file;
  Tier tier = Tier::automatic;
  std::uint64_t sample = 0;  // 0: all rows
  std::uint64_t sample_seed = 0;
  std::uint64_t workers = 0;  // 0: one a core
  VerifyLimits limits;
  bool quiet = false;
  bool json = false;
};

CLI::App* add_verify(CLI::App& app, VerifyFileOptions& options);

ExitCode execute(const VerifyFileOptions& options, Console& console);

}  // namespace petri::cli
