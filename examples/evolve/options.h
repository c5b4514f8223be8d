// The options of the command line.
#pragma once

#include <petri/result.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "evolve/packing_instances.h"
#include "evolve/problem.h"

namespace evolve {

enum class Subject : std::uint8_t { sorting_network, symbolic_regression, bin_packing, parity };

struct Options {
  Subject subject = Subject::sorting_network;
  std::uint64_t seed = 1;
  std::size_t seeds = 1;  // how many, from `seed` on
  std::size_t budget = 0;
  unsigned workers = 0;
  std::string records;  // a path; empty: none
  bool json = false;

  std::size_t inputs = 8;  // of the sorting network
  std::string benchmark = "koza-1";
  ItemSizes sizes = ItemSizes::weibull;
  std::size_t items = 500;
  std::string instances;  // a path; empty: from the formula
  std::size_t parity_inputs = 4;
};

// Either what to do, or a text to print and nothing to do: help.
struct CommandLine {
  std::optional<Options> options;
  std::string help;
};
// validation_failed for what is wrong with the arguments.
petri::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments);

petri::Result<std::unique_ptr<Problem>> make_problem(const Options& options, std::uint64_t seed);

}  // namespace evolve
