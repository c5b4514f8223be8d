// petri evaluate CANDIDATES...: a function of many modules, called with every case, as records.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/exit_code.h"
#include "petri/evaluate.h"
#include "petri/limits.h"
#include "petri/tier.h"

namespace CLI {
class App;
}

namespace petri::cli {

// The limits of a spec that sets none.
Limits evaluation_limits();

struct EvaluateOptions {
  std::vector<std::string> candidates;  // files and folders
  std::string function;
  std::string harness;                  // a module's file; empty: candidates are called themselves
  std::string cases;                    // a file, or "-" for stdin
  std::string records;                  // a file that is made; empty: none
  std::string timings;                  // likewise
  Limits limits = evaluation_limits();  // of each case
  Instances instances = Instances::per_candidate;
  bool all_cases = false;               // also those after the first that failed
  std::optional<Scorer> scorer;         // nullopt: as the cases and the metrics say
  std::optional<double> tolerance;      // of the scorer of this name
  std::vector<std::string> metrics;     // the names of the numbers that the harness returns
  std::uint64_t keep_output_bytes = 0;  // of each case's output, in the records
  bool append = false;                  // the records file is continued
  bool force = false;                   // the records file may be one that exists
  bool no_receipts = false;
  std::uint64_t seed = 0;
  Tier tier = Tier::automatic;
  std::uint64_t workers = 0;  // 0: one a core
  std::uint64_t top = 5;      // how many of the best are shown
  bool quiet = false;
  bool json = false;
};

CLI::App* add_evaluate(CLI::App& app, EvaluateOptions& options);

ExitCode execute(const EvaluateOptions& options, Console& console);

}  // namespace petri::cli
