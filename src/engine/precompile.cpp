#include "engine/precompile.h"

#include <algorithm>

#include "engine/wasm_text.h"

namespace petri {

void precompile(std::span<const std::uint8_t> metered, bool frugal,
                const std::function<void(const Precompiled&)>& take) {
  OwnedBytes code;
  petri_error error;
  if (petri_precompile(metered.data(), metered.size(), frugal ? 1 : 0, &code.bytes, &error) != PETRI_OK) {
    const std::size_t size = std::min<std::size_t>(error.message_size, sizeof(error.message));
    return take({.machine_code = {}, .message = {error.message, size}});
  }
  take({.machine_code = {code.bytes.data, code.bytes.size}, .message = {}});
}

bool start_compile_helper(std::size_t stack_bytes) {
  petri_error error;
  return petri_compile_helper(stack_bytes, &error) == PETRI_OK;
}

}  // namespace petri
