// WASI: chance that depends on the seed alone.
#include <algorithm>

#include "host/families.h"
#include "host/wasi_memory.h"

namespace petri {
namespace {

// Made and paid piece by piece, so that a long wish still meets its deadline.
constexpr std::size_t kPieceBytes = 65'536;

WasiErrno random_get(HostCall& call, std::uint32_t buffer, std::uint32_t length) {
  auto bytes = call.memory(buffer, length);
  if (!bytes) return refuse(call, WasiErrno::fault);
  for (std::span<std::uint8_t> rest = *bytes; !rest.empty();) {
    const std::span<std::uint8_t> piece = rest.first(std::min(rest.size(), kPieceBytes));
    if (!call.charge_bytes(piece.size())) return WasiErrno::success;
    call.context.random.fill(piece);
    rest = rest.subspan(piece.size());
  }
  return WasiErrno::success;
}

}  // namespace

HostFamily wasi_random_functions() {
  return {host_function<&random_get>(
      {.module = kWasi, .name = "random_get", .fuel = 16, .charges_bytes = true, .permission = Permission::random})};
}

}  // namespace petri
