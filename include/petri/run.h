// A run: a fresh instance of a module, one call, gone.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "petri/artifact.h"
#include "petri/host_functions.h"
#include "petri/limits.h"
#include "petri/outcome.h"
#include "petri/policy.h"
#include "petri/tier.h"

namespace petri {

// argv[0] of every WASI program, in runs, sandboxes and evaluations alike: no result depends on what a file is called.
inline constexpr std::string_view kProgramName = "guest";

// Everything that may be said of a run.
struct RunSpec {
  std::string function;          // an export; "_start" runs a WASI command
  std::vector<Value> arguments;  // one for each parameter, of its type
  std::string input;             // bytes the guest reads with input_read, or as WASI stdin
  Limits limits;
  Permissions permissions = Permissions::standard();
  Tier tier = Tier::interpreted;
  std::uint64_t seed = 0;
  bool deterministic = false;                  // virtual time; otherwise clock_ms is the host's, in whole milliseconds
  std::string folder;                          // the one host folder WASI files live in; empty: none
  std::vector<std::string> program_arguments;  // what a WASI command finds in argv after its name, kProgramName
  std::map<std::string, std::string> environment;
  // A guest that writes more than output_bytes_max ends there, as output_limit. False: what is too much is cut and
  // counted, and it continues.
  bool ends_at_output_limit = true;
  // Explain a trap even where the tier keeps no trace, by repeating the run compiled: that costs a compilation, of
  // five seconds at most. Left out where that takes longer, where there is no compile worker, and where the repetition
  // could have effects (file_write, functions of the embedder that are not deterministic).
  bool backtrace = true;
  std::function<void(LogLevel, std::string_view)>
      on_log;  // one line of the guest, as it sent it; called on the running thread
  std::function<void(std::string_view)> on_stdout;  // as they are written; without it stdout is the outcome's output
  std::function<void(std::string_view)> on_stderr;  // without it each line is a log line
  MachineCodeOptions compile;                       // of the compiled tier
};

// Instantiates, runs the start function and `_initialize`, calls the function; all on one budget of fuel and time.
// An Error means that no guest code was entered (missing function, wrong arguments, link_error, a stop asked for
// before), or that petri itself failed. The stop token ends the guest as `cancelled`. May be called from any thread,
// many at once.
Result<Outcome> run(const ArtifactPtr& artifact, const HostFunctions& host, const RunSpec& spec,
                    std::stop_token stop = {});

}  // namespace petri
