// The line table that petri's compilers leave in a module.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace petri {

struct SourceLine {
  std::string file;  // escaped
  std::uint32_t line = 0;
  bool operator==(const SourceLine&) const = default;
};

// The lines of these bytes of a module, in the same order; read once through the custom section "petri.lines". It may
// come from anybody, so it is believed no further than a text that a guest wrote.
std::vector<std::optional<SourceLine>> source_lines_at(std::span<const std::uint8_t> module,
                                                       std::span<const std::uint64_t> offsets);

}  // namespace petri
