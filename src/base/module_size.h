// The one bound of a module's size, and the one sentence about it.
#pragma once

#include <cstdint>
#include <string_view>

#include "petri/result.h"

namespace petri {

// module_too_large: "the module has 11 bytes and module_bytes_max allows 10". `what` is "module" or "text".
Error module_too_large(std::string_view what, std::uint64_t bytes, std::uint64_t bytes_max);
Result<void> check_module_size(std::uint64_t bytes, std::uint64_t bytes_max, std::string_view what = "module");

}  // namespace petri
