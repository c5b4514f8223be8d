// A module as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "petri/result.h"

namespace petri {

// A module that an engine has prepared, as wat text; rejected where the printer knows no text for it.
Result<std::string> wasm_to_wat(std::span<const std::uint8_t> wasm);

}  // namespace petri
