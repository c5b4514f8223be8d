// The text that `petri audit verify` prints.
#pragma once

#include <string>

#include "cli/json.h"
#include "petri/audit.h"

namespace petri::cli {

struct AuditReport {
  std::string file;
  std::string contains;  // the hash that was asked for, in hexadecimal digits; empty: none
  AuditVerification verification;

  bool hash_is_missing() const { return !contains.empty() && !verification.contains; }
  bool is_whole() const { return !verification.fault && !hash_is_missing(); }
};

// How it ended in a line, then how far the chain holds. `file` is escaped.
std::string to_text(const AuditReport& report);
Json to_json(const AuditReport& report);

}  // namespace petri::cli
