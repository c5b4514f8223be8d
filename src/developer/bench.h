// petri-dev bench [NAME...]: measures what bench/ registers.
#pragma once

#include <string>
#include <vector>

#include "bench/registry.h"
#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::developer {

struct BenchOptions {
  std::vector<std::string> names;  // empty: all
  bool list = false;
  bool verbose = false;  // with the notes of each
  bool json = false;
};

// Leaves the names to the parser: they are the words that remain.
CLI::App* add_bench(CLI::App& app, BenchOptions& options);

cli::ExitCode execute(const BenchOptions& options, cli::Console& console);
// A machine is called noisy when samples of one value lie so far apart.
inline constexpr double kSpreadNoisy = 0.1;

// The same over any list of benchmarks.
cli::ExitCode run_benchmarks(const std::vector<bench::Benchmark>& benchmarks, const BenchOptions& options,
                             cli::Console& console);

}  // namespace petri::developer
