#include "evolve/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "evolve/bin_packing.h"
#include "evolve/network.h"
#include "evolve/parity.h"
#include "evolve/sorting_network.h"
#include "evolve/symbolic_regression.h"

namespace evolve {
namespace {

constexpr std::size_t kBudgetMax = 1'000'000'000;
constexpr unsigned kWorkersMax = 256;
constexpr std::size_t kSeedsMax = 10'000;

constexpr std::string_view kAbout =
    "Evolves programs with petri: every candidate is a WebAssembly module of its own, run inside its sandbox.";
constexpr std::string_view kFooter =
    "--seed, --budget, --workers, --records, --seeds and --json go with every problem.\n"
    "Exit codes: 0 the goal is reached, or the problem has none; 3 the budget is spent before that; 4 bad arguments or "
    "files; 5 the machine failed; 130 Ctrl-C, after saying what there is.\n"
    "Example: evolve sorting-network --inputs 6 --seed 3 --records run.jsonl";

// How many evaluations are tried unless one says so: a few seconds to half a minute.
std::size_t default_budget(Subject subject) {
  switch (subject) {
    case Subject::sorting_network: return 1'000'000;
    case Subject::symbolic_regression: return 200'000;
    case Subject::bin_packing: return 4'000;
    case Subject::parity: return 500'000;
  }
  return 0;
}

// Without words of its own in the help, where they would stand before ours.
template <typename T>
CLI::Validator in_range(T low, T high) {
  return CLI::Range(low, high).description("");
}

// The library would take -1 for the largest number there is.
std::string complain_about_seed(const std::string& text) {
  const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
  return digits ? "" : text + " is not a whole number from 0 on";
}

void add_common(CLI::App& app, Options& options) {
  app.add_option("--seed", options.seed, "all chance comes from it [1]")
      ->check(CLI::Validator(complain_about_seed, ""))
      ->type_name("N");
  app.add_option("--budget", options.budget, "evaluations at most")
      ->check(in_range(std::size_t{1}, kBudgetMax))
      ->type_name("N");
  app.add_option("--workers", options.workers, "threads; 0: one a core [0]")
      ->check(in_range(0U, kWorkersMax))
      ->type_name("N");
  app.add_option("--records", options.records, "keep a record of every candidate in this file")->type_name("FILE");
  app.add_option("--seeds", options.seeds, "run this many seeds in a row and count the successes")
      ->check(in_range(std::size_t{1}, kSeedsMax))
      ->type_name("N");
  app.add_flag("--json", options.json, "one JSON object a run instead of text");
}

void add_packing_options(CLI::App& command, Options& options) {
  const auto set_sizes = [&options](const std::string& name) {
    for (const ItemSizes sizes : {ItemSizes::weibull, ItemSizes::uniform}) {
      if (name == name_of(sizes)) {
        options.sizes = sizes;
        return;
      }
    }
    throw CLI::ValidationError("--sizes", name + " is neither weibull nor uniform");
  };
  command.add_option_function<std::string>("--sizes", set_sizes, "of items: weibull or uniform [weibull]")
      ->type_name("NAME");
  command.add_option("--items", options.items, "in each of the five instances [500]")
      ->check(in_range(std::size_t{1}, kItemsMax))
      ->type_name("N");
  command.add_option("--instances", options.instances, R"({"capacity": 100, "items": [[31, 42], [7]]} instead)")
      ->type_name("FILE");
}

struct Subcommands {
  CLI::App* network = nullptr;
  CLI::App* regression = nullptr;
  CLI::App* packing = nullptr;
  CLI::App* parity = nullptr;

  Subject chosen() const {
    if (regression->parsed()) return Subject::symbolic_regression;
    if (packing->parsed()) return Subject::bin_packing;
    return parity->parsed() ? Subject::parity : Subject::sorting_network;
  }
};

Subcommands add_subcommands(CLI::App& app, Options& options) {
  Subcommands commands{.network = app.add_subcommand(
                           "sorting-network", "the fewest comparators that sort (what runs unless one is named)"),
                       .regression = app.add_subcommand("symbolic-regression", "a formula through given points"),
                       .packing = app.add_subcommand("bin-packing", "a rule that puts items into bins as they come"),
                       .parity = app.add_subcommand("parity", "even parity from and, or, nand and nor")};
  commands.network->add_option("--inputs", options.inputs, "4 to 8 [8]")
      ->check(in_range(kInputsMin, kInputsMax))
      ->type_name("N");
  commands.regression
      ->add_option("--problem", options.benchmark, "koza-1 to 3, nguyen-1 to 10, keijzer-1 to 15 or pagie-1 [koza-1]")
      ->type_name("NAME");
  add_packing_options(*commands.packing, options);
  commands.parity->add_option("--inputs", options.parity_inputs, "3 to 6 [4]")
      ->check(in_range(kParityInputsMin, kParityInputsMax))
      ->type_name("N");
  for (CLI::App* command : app.get_subcommands({})) command->fallthrough();
  return commands;
}

petri::Result<Options> finished(Options options) {
  if (options.seeds > 1 && !options.records.empty()) {
    return petri::fail(petri::ErrorCode::validation_failed,
                       "--records holds one run, and --seeds asks for several; give one of them");
  }
  if (options.budget == 0) options.budget = default_budget(options.subject);
  return options;
}

}  // namespace

petri::Result<CommandLine> parse_command_line(const std::vector<std::string>& arguments) {
  Options options;
  CLI::App app{std::string(kAbout), "evolve"};
  app.footer(std::string(kFooter));
  app.require_subcommand(0, 1);
  add_common(app, options);
  const Subcommands commands = add_subcommands(app, options);
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return CommandLine{.options = std::nullopt, .help = app.help()};
  } catch (const CLI::ParseError& error) {
    return petri::fail(petri::ErrorCode::validation_failed, std::string(error.what()) + " (evolve --help tells more)");
  }
  options.subject = commands.chosen();
  PETRI_TRY(auto complete, finished(options));
  return CommandLine{.options = std::move(complete), .help = {}};
}

namespace {

petri::Result<PackingSets> sets_of(const Options& options, std::uint64_t seed) {
  if (options.instances.empty()) return packing_sets({.sizes = options.sizes, .items = options.items}, seed);
  PETRI_TRY(auto instances, read_instances(options.instances));
  return PackingSets{.title = options.instances, .training = std::move(instances), .unseen = std::nullopt};
}

}  // namespace

petri::Result<std::unique_ptr<Problem>> make_problem(const Options& options, std::uint64_t seed) {
  switch (options.subject) {
    case Subject::sorting_network: return std::make_unique<SortingNetwork>(options.inputs, seed);
    case Subject::symbolic_regression: {
      PETRI_TRY(const auto benchmark, regression_benchmark(options.benchmark));
      return std::make_unique<TreeProblem>(symbolic_regression(benchmark, seed), seed);
    }
    case Subject::bin_packing: {
      PETRI_TRY(const auto sets, sets_of(options, seed));
      return std::make_unique<TreeProblem>(bin_packing(sets), seed);
    }
    case Subject::parity: return std::make_unique<TreeProblem>(even_parity(options.parity_inputs), seed);
  }
  return petri::fail(petri::ErrorCode::host_fault, "there is no such problem");
}

}  // namespace evolve
