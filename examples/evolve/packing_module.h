// The packing loop as a module: everything a candidate does happens inside its sandbox.
#pragma once

#include <petri/evaluate.h>
#include <petri/wasm_builder/wasm_builder.h>

#include "evolve/packing.h"
#include "evolve/tree.h"

namespace evolve {

// Sizes as shares of the capacity: what the item takes, the room the bin has before, and what would be left.
Language packing_language();

struct PackingMemory {
  std::uint32_t items_at = 0;  // the bins' counters come before
  std::uint32_t pages = 1;
};
PackingMemory packing_memory(const Instances& instances);

// "pack" takes the capacity, and as input the items as 16-bit words; it returns the number of bins. Each item goes into
// the bin for which the tree is largest among those with room, an empty one included. Between equals the fullest wins,
// and where no number wins, as among NaNs, an empty one is taken. Since the tree sees of a bin only its room, bins with
// the same room are counted, not listed.
void emit_packing(const Tree& rule, const Language& language, PackingMemory memory, petri::WasmBuilder& module);
petri::Case packing_case(const Items& items, std::uint16_t capacity);

}  // namespace evolve
