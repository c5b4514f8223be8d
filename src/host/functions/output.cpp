// The bytes a guest answers with.
#include "host/functions/families.h"
#include "host/guest/pace.h"

namespace petri {
namespace {

constexpr std::size_t kPieceBytes = 4 * Pace::kBytesMax;

// Appends to the answer and returns how many bytes were kept: fewer than `length` once the answer is full.
std::int32_t output_write(HostCall& call, std::uint32_t source, std::uint32_t length) {
  const auto bytes = call.read(source, length);
  if (!bytes) return call.refuse(bytes.error());
  std::size_t kept = 0;
  Pace pace(call);
  for (std::string_view rest = *bytes; !rest.empty();) {
    const std::string_view piece = rest.substr(0, kPieceBytes);
    kept += call.context.write_output(piece);
    rest.remove_prefix(piece.size());
    if (!pace.step(piece.size())) return 0;
  }
  return static_cast<std::int32_t>(kept);
}

}  // namespace

HostFamily output_functions() {
  return {host_function<&output_write>(
      {.module = "petri", .name = "output_write", .fuel = 8, .charges_bytes = true, .version = 2})};
}

}  // namespace petri
