// The text that `petri scan` prints.
#pragma once

#include <optional>
#include <string>

#include "cli/json.h"
#include "petri/scan.h"

namespace petri::cli {

// A file that the gate refused has an error and no report; one that was refused for a finding has both.
struct ScannedFile {
  std::string file;
  std::optional<ScanReport> report;
  std::optional<Error> error;
  Severity shown_from = Severity::info;
};

// The findings of a file that has a report; those of one kind are a group. `file` is escaped.
std::string to_text(const ScannedFile& scanned);
Json to_json(const ScannedFile& scanned);

}  // namespace petri::cli
