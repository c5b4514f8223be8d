// The text that `petri verify` prints.
#pragma once

#include <string>

#include "cli/json.h"
#include "petri/records.h"

namespace petri::cli {

struct VerificationReport {
  std::string file;
  Verification verification;
  ScoredBy scored_by = ScoredBy::nobody;
  bool receipts = true;
};

// How it ended in a line, then what could not be compared, a line each. `file` is escaped.
std::string to_text(const VerificationReport& report);
Json to_json(const VerificationReport& report);

}  // namespace petri::cli
