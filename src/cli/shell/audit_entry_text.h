// Entries of the audit trail, as `audit` shows them.
#pragma once

#include <string>

#include "cli/json.h"
#include "petri/audit.h"

namespace petri::cli {

// A row an entry: number, time (UTC), kind, whom it is about, cause, details. Texts of guests are escaped.
std::string to_text(const AuditPage& page);
// The fields of an entry as the audit file has them, the hash among them.
Json to_json(const AuditEntry& entry);

}  // namespace petri::cli
