// Numbers of state as they stand in memory, and exact conversion between their types.
#pragma once

#include <cstdint>
#include <string>

#include "base/json/cbor.h"
#include "petri/state.h"

namespace petri {

using StateNumber = CborNumber;

// The element of this type at `from`; not for blocks.
StateNumber load_number(StateType type, const std::uint8_t* from);

// Writes the number as this type to `to`. False, with nothing written, when the type cannot hold it exactly: nothing is
// rounded or cut, a negative zero is no integer, and a NaN keeps its payload.
bool store_number(StateType type, StateNumber number, std::uint8_t* to);

// As people read it: "7", "2.5", "-0", "nan:0x7fc00001".
std::string to_text(const StateNumber& number);

}  // namespace petri
