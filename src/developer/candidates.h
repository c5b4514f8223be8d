// petri-dev candidates FIRST COUNT: prints programs of the mix that benchmarks evaluate, for peers to run the same.
#pragma once

#include <cstdint>

#include "cli/console.h"
#include "cli/exit_code.h"

namespace CLI {
class App;
}

namespace petri::developer {

struct CandidatesOptions {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

CLI::App* add_candidates(CLI::App& app, CandidatesOptions& options);

cli::ExitCode execute(const CandidatesOptions& options, cli::Console& console);

}  // namespace petri::developer
