#include "cli/commands/cache.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/command_error.h"
#include "cli/json.h"
#include "petri/compile.h"

namespace petri::cli {
namespace {

Json cache_json(const CompileCacheInfo& info) {
  return {{"folder", info.folder}, {"entries", info.entries}, {"bytes", info.bytes}, {"bytes_max", info.bytes_max}};
}

std::string cache_text(const CompileCacheInfo& info) {
  return fmt::format("{}: {} entries, {} of {}\n", escape_text(info.folder, kPathShownBytesMax), info.entries,
                     format_bytes(info.bytes), format_bytes(info.bytes_max));
}

}  // namespace

CLI::App* add_cache(CLI::App& app, CacheOptions& options) {
  CLI::App* command = app.add_subcommand("cache", "Shows or clears what compilers made before");
  command->require_subcommand(0, 1);
  CLI::App* show = command->add_subcommand("show", "Where it is, and how much is in it");
  show->add_flag("--json", options.json, "One JSON object on stdout: cache or error");
  show->footer("Example: petri cache show");
  CLI::App* clear = command->add_subcommand("clear", "Removes all of it; the next compile fills it again");
  clear->add_flag("--json", options.json, "One JSON object on stdout: cache or error");
  clear->callback([&options] { options.clear = true; });
  clear->footer("Example: petri cache clear");
  command->footer("Example: petri cache show");
  return command;
}

ExitCode execute(const CacheOptions& options, Console& console) {
  const auto info = options.clear ? clear_compile_cache() : compile_cache_info();
  if (!info) return report_error(info.error(), options.json, console);
  console.out.write(options.json ? to_line({{"cache", cache_json(*info)}}) : cache_text(*info));
  return ExitCode::ok;
}

}  // namespace petri::cli
