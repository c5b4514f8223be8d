#include "cli/exit_code.h"

#include <algorithm>

namespace petri::cli {
namespace {

bool names_a_file(const Error& error) {
  return std::any_of(error.details.begin(), error.details.end(), [](const ErrorDetail& d) { return d.key == "path"; });
}

}  // namespace

const std::vector<ExitCodeRule>& exit_code_rules() {
  static const std::vector<ExitCodeRule> rules{
      {ExitCode::ok, "ok", "The guest returned, or exited with code 0; every other command did what was asked."},
      {ExitCode::guest_failure, "guest_failure",
       "The guest was entered and ended in another way: a trap, a limit, an exit code other than 0."},
      {ExitCode::bad_input, "bad_input",
       "The guest was not entered because of what was given: options, arguments, a file, or a module petri refuses."},
      {ExitCode::host_failure, "host_failure",
       "The machine or petri failed: reading or writing, an engine, memory. The guest is not to blame."},
      {ExitCode::difference, "difference",
       "petri verify found something other than the file says, or petri audit verify a line that was changed; the "
       "first "
       "difference is on stdout."},
      {ExitCode::incomplete, "incomplete",
       "petri verify found no difference, but could not compare everything: the file has no final line, or rows that "
       "time ended, that were cancelled, or that need more than --fuel-max, --memory-max or --time-max, or scores "
       "that a program around petri gave; stdout says which."},
      {ExitCode::interrupted, "interrupted",
       "SIGINT (Ctrl-C) or SIGTERM: the guest was cancelled and its outcome printed; of many, what is done is kept and "
       "said. A second signal ends petri at once."},
  };
  return rules;
}

ExitCode exit_code_for(const Error& error) {
  switch (error.code) {
    case ErrorCode::start_failed: return ExitCode::guest_failure;
    case ErrorCode::io_error: return names_a_file(error) ? ExitCode::bad_input : ExitCode::host_failure;
    case ErrorCode::busy:
    case ErrorCode::timeout:
    case ErrorCode::cancelled:
    case ErrorCode::not_now:
    case ErrorCode::engine_fault:
    case ErrorCode::host_fault: return ExitCode::host_failure;
    default: return ExitCode::bad_input;
  }
}

ExitCode exit_code_for(const Outcome& outcome) {
  const bool exited_well = outcome.kind == OutcomeKind::exited && outcome.exit_code == 0;
  return outcome.kind == OutcomeKind::ok || exited_well ? ExitCode::ok : ExitCode::guest_failure;
}

}  // namespace petri::cli
