// The table at the exported global `petri_state`, as a guest lays it out in its memory. All numbers are u32,
// little-endian, at any alignment:
//   header  magic "PSTA", version 1, count, entry size (at least 24; what is beyond is skipped)
//   entry   name, name length, type, address, count, stride
// A stride is at least the size of an element; that of bytes and text is 1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "petri/state.h"
#include "state/memory_pieces.h"
#include "state/state_complaints.h"

namespace petri {

constexpr std::uint32_t kStateTableMagic = 0x4154'5350;  // the bytes "PSTA"
constexpr std::uint32_t kStateTableVersion = 1;
constexpr std::uint32_t kStateHeaderBytes = 16;
constexpr std::uint32_t kStateEntryBytes = 24;
constexpr std::uint32_t kStateEntryBytesMax = 1'024;

struct DescribedField {
  StateField field;
  MemoryPieces pieces;
};

// The fields that can be used, in the table's order; what is wrong with the others, or between them, goes into
// `complaints`. Reads nothing outside `memory`, however the table lies.
std::vector<DescribedField> read_state_table(std::span<const std::uint8_t> memory, std::uint32_t address,
                                             Complaints& complaints);

}  // namespace petri
