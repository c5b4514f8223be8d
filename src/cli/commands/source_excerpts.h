// Diagnostics with the lines of the sources that they are about.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "petri/compile.h"

namespace petri::cli {

// The lines of sources that diagnostics are about; each file is read once.
class SourceLines {
 public:
  // No line is found of a file that is larger than this.
  explicit SourceLines(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

  std::optional<std::string> find(const Diagnostic& diagnostic);

 private:
  const std::uint64_t bytes_max_;
  std::map<std::string, std::string> texts_;
};

// Diagnostics name files inside the source; afterwards they name them as a caller finds them from where it stands.
void name_from_here(CompileReport& report, const std::string& source);

// All diagnostics of a report that has been through name_from_here(), each with its line and a caret. Escaped, but for
// the colours.
std::string excerpts_text(const CompileReport& report, std::uint64_t source_bytes_max, bool colours);

}  // namespace petri::cli
