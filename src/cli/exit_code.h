// The numbers `petri` ends with. They tell whose failure it was; the page docs/reference/exit_codes.md is made from
// here.
#pragma once

#include <string_view>
#include <vector>

#include "petri/outcome.h"
#include "petri/result.h"

namespace petri::cli {

// 1 and 2 are left out: shells and run-time libraries end with them for reasons of their own.
enum class ExitCode : int {
  ok = 0,
  guest_failure = 3,
  bad_input = 4,
  host_failure = 5,
  difference = 6,
  incomplete = 7,
  interrupted = 130
};

struct ExitCodeRule {
  ExitCode code;
  std::string_view name;
  std::string_view meaning;
};
const std::vector<ExitCodeRule>& exit_code_rules();

// An io_error about a file the caller named (detail "path") is bad input, any other is the machine's.
ExitCode exit_code_for(const Error& error);
// A guest's own exit code is never passed on: it could not be told from petri's. 0 is ok, all others are guest_failure.
ExitCode exit_code_for(const Outcome& outcome);

}  // namespace petri::cli
