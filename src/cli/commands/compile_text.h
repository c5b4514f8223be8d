// The forms in which `petri compile` prints what a compiler found.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "cli/json.h"
#include "petri/compile.h"

namespace petri::cli {

// The line of a source that a diagnostic names; nullopt if it cannot be read any more.
using SourceLine = std::function<std::optional<std::string>(const Diagnostic&)>;

// "adder.c:3:10: error: ..." with the line and a caret below it. Escaped, but for the colours.
std::string to_text(const Diagnostic& diagnostic, const SourceLine& line, bool colours);
// "compiled 2 modules in 41 ms", "1 error, 2 warnings"
std::string summary_text(const CompileReport& report);

Json to_json(const Diagnostic& diagnostic);
Json to_json(const CompileReport& report);

// A log of SARIF 2.1.0 with one run.
Json to_sarif(const CompileReport& report);

}  // namespace petri::cli
