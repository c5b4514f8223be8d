// Options that several commands have, and the values they take.
#pragma once

#include <cstdint>
#include <string>

#include "petri/tier.h"

namespace CLI {
class App;
}

namespace petri::cli {

// The variable to be filled must outlive the app; its present value is shown as the default.
void add_tier_option(CLI::App& command, Tier& tier);
// Time and memory of compiling.
void add_compile_options(CLI::App& command, MachineCodeOptions& compile);
void add_code_cache_option(CLI::App& command, MachineCodeOptions& compile);
void add_seed_option(CLI::App& command, std::uint64_t& seed);

struct CountOption {
  std::string name;  // "--workers"
  std::string about;
  std::uint64_t max = UINT64_MAX;
};
// A plain integer.
void add_count_option(CLI::App& command, std::uint64_t& count, const CountOption& option);

}  // namespace petri::cli
