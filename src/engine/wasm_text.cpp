#include "engine/wasm_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/text/escape.h"
#include "engine/wat_printer.h"

namespace petri {
namespace {

constexpr std::size_t kMessageBytesMax = 800;

std::string message_of(const petri_error& error) {
  const std::size_t size = std::min<std::size_t>(error.message_size, sizeof(error.message));
  return escape_text({error.message, size}, kMessageBytesMax);
}

Error make(ErrorCode code, std::string message) { return {.code = code, .message = std::move(message), .details = {}}; }

Error rejected(const petri_error& error) {
  Error result = make(ErrorCode::rejected, message_of(error));
  if (error.offset == std::numeric_limits<std::uint64_t>::max()) return result;
  result.message += fmt::format(" (at byte {})", error.offset);
  return std::move(result).with("offset", std::to_string(error.offset));
}

Error parse_failed(const petri_error& error) {
  return make(ErrorCode::parse_failed, fmt::format("the text does not parse at line {}, column {}: {}", error.line,
                                                   error.column, message_of(error)))
      .with("line", std::to_string(error.line))
      .with("column", std::to_string(error.column));
}

}  // namespace

Result<std::string> wasm_to_wat(std::span<const std::uint8_t> wasm) {
  OwnedBytes text;
  petri_error error;
  if (petri_wasm_text(wasm.data(), wasm.size(), &text.bytes, &error) != PETRI_OK) return fail(to_error(error));
  return std::string(reinterpret_cast<const char*>(text.bytes.data), text.bytes.size);
}

Error to_error(const petri_error& error) {
  switch (error.status) {
    case PETRI_REJECTED: return rejected(error).with("component", "gate");
    case PETRI_PARSE_FAILED: return parse_failed(error).with("component", "wat");
    case PETRI_MISUSE:
      return make(ErrorCode::host_fault, fmt::format("petri used its engines wrongly: {}", message_of(error)))
          .with("component", "engine");
    case PETRI_NOT_MOVABLE: return make(ErrorCode::validation_failed, message_of(error)).with("component", "engine");
    case PETRI_UNFIT: return make(ErrorCode::state_incompatible, message_of(error)).with("component", "engine");
    case PETRI_OVER_LIMIT: return make(ErrorCode::limit_exceeded, message_of(error)).with("component", "engine");
    case PETRI_STOPPED: return make(ErrorCode::cancelled, message_of(error)).with("component", "engine");
    default:
      return make(ErrorCode::engine_fault, fmt::format("a WebAssembly engine failed: {}", message_of(error)))
          .with("component", "engine");
  }
}

}  // namespace petri
