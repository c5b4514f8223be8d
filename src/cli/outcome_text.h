// An outcome in words for a person at a terminal.
#pragma once

#include <string>

#include "petri/limits.h"
#include "petri/outcome.h"

namespace petri::cli {

// Why the guest ended, with the limit it met, or an empty text when it simply returned:
// "out_of_fuel: the guest used all of its fuel, fuel_max = 1,000"
std::string reason_text(const Outcome& outcome, const Limits& limits);

// One line per frame, innermost first: "  at divide (function 3, byte 0x4f)". Frames have their names escaped already.
std::string backtrace_text(const Outcome& outcome);

// "ok: 12 fuel, 64 KiB peak memory, 8.1 µs, interpreted"
std::string summary_text(const Outcome& outcome);

}  // namespace petri::cli
