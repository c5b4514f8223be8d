// The sections of a wasm file, read without trusting it: what can be shown even of a module the gate refuses.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace petri::cli {

struct Section {
  std::string name;  // "type", "code", ...; of a custom section its own name
  bool custom = false;
  std::uint64_t offset = 0;  // of its contents
  std::uint64_t bytes = 0;   // as it claims
  bool complete = true;      // false: the file ends before it does
};

// Stops at the first section that does not fit into the file, or that is no section at all.
std::vector<Section> section_outline(std::span<const std::uint8_t> wasm);

}  // namespace petri::cli
