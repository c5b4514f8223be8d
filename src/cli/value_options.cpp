#include "cli/value_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "base/text/escape.h"
#include "base/text/units.h"
#include "cli/option_error.h"

namespace petri::cli {
namespace {

Tier read_tier(const std::string& text) {
  const auto tier = tier_named(text);
  if (!tier) {
    throw OptionError("--tier",
                      fmt::format("there is no tier \"{}\"; the tiers are interpreted, compiled and automatic",
                                  escape_text(text, kWordShownBytesMax)));
  }
  return *tier;
}

std::uint64_t read_count(const CountOption& option, const std::string& text) {
  const auto count = parse_count(text);
  if (!count) throw OptionError(option.name, count.error().message);
  if (*count > option.max) {
    throw OptionError(option.name, fmt::format("{} is more than {}", *count, format_count(option.max)));
  }
  return *count;
}

// Empty if there is no home.
std::string user_code_cache() {
  constexpr std::string_view kName = "petri/machine-code";
  const char* const cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return fmt::format("{}/{}", cache, kName);
  const char* const home = std::getenv("HOME");
  return home == nullptr || *home != '/' ? std::string() : fmt::format("{}/.cache/{}", home, kName);
}

}  // namespace

void add_tier_option(CLI::App& command, Tier& tier) {
  command
      .add_option_function<std::string>(
          "--tier", [&tier](const std::string& text) { tier = read_tier(text); },
          fmt::format("interpreted, compiled or automatic (default {})", name_of(tier)))
      ->type_name("TIER");
}

void add_compile_options(CLI::App& command, MachineCodeOptions& compile) {
  const auto read_time = [&compile](const std::string& text) {
    const auto time = parse_duration(text);
    if (!time) throw OptionError("--compile-time-max", time.error().message);
    compile.time_max = *time;
  };
  const auto read_memory = [&compile](const std::string& text) {
    const auto bytes = parse_bytes(text);
    if (!bytes) throw OptionError("--compile-memory-max", bytes.error().message);
    compile.memory_bytes_max = *bytes;
  };
  command
      .add_option_function<std::string>(
          "--compile-time-max", read_time,
          fmt::format("Of compiling the module; default {}", format_duration(compile.time_max)))
      ->type_name("TIME");
  command
      .add_option_function<std::string>(
          "--compile-memory-max", read_memory,
          fmt::format("Of the process that compiles; default {}", format_bytes(compile.memory_bytes_max)))
      ->type_name("SIZE");
}

void add_code_cache_option(CLI::App& command, MachineCodeOptions& compile) {
  compile.cache = user_code_cache();
  command
      .add_option("--code-cache", compile.cache,
                  "Where machine code of large modules is kept, a folder that nobody else may write (default "
                  "~/.cache/petri/machine-code); \"\" keeps none")
      ->type_name("DIR");
}

void add_seed_option(CLI::App& command, std::uint64_t& seed) {
  add_count_option(command, seed,
                   {.name = "--seed", .about = fmt::format("The seed of random numbers (default {})", seed)});
}

void add_count_option(CLI::App& command, std::uint64_t& count, const CountOption& option) {
  CLI::callback_t read = [&count, option](const CLI::results_t& given) {
    count = read_count(option, given.at(0));
    return true;
  };
  command.add_option(option.name, std::move(read), option.about)->type_name("N");
}

}  // namespace petri::cli
