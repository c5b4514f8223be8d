#include "cli/commands/version.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "cli/json.h"
#include "engine/engine_tables.h"

namespace petri::cli {
namespace {

constexpr int kGuestAbi = 1;

}  // namespace

std::string_view petri_version() { return PETRI_VERSION; }

CLI::App* add_version(CLI::App& app, VersionOptions& options) {
  CLI::App* command = app.add_subcommand("version", "Versions of petri, its engines, fuel table and guest ABI");
  command->add_flag("--json", options.json, "One JSON object on stdout");
  command->footer("Example: petri version --json");
  return command;
}

ExitCode execute(const VersionOptions& options, Console& console) {
  if (options.json) {
    const Json version{{"petri", PETRI_VERSION},
                       {"engines", engine_versions()},
                       {"fuel_table", fuel_table_version()},
                       {"guest_abi", kGuestAbi}};
    console.out.write(to_line({{"version", version}}));
  } else {
    console.out.write(fmt::format("petri {}\nengines: {}\nfuel table: {}\nguest ABI: {}\n", PETRI_VERSION,
                                  engine_versions(), fuel_table_version(), kGuestAbi));
  }
  return ExitCode::ok;
}

}  // namespace petri::cli
