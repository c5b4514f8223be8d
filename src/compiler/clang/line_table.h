// The lines of the source for the instructions of a module: DWARF in, one compact custom section out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petri {

// The module without its debug sections, and with a custom section "petri.lines" (src/run/source_lines.h reads it) if
// they had lines. Bytes that are no wasm come back as they are; what of the debug sections cannot be read is left out.
std::string with_line_table(std::string_view module);

}  // namespace petri
