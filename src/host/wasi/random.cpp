// WASI: random bytes that depend on the seed alone.
#include "host/functions/families.h"
#include "host/guest/guest_writer.h"
#include "host/wasi/memory.h"

namespace petri {
namespace {

WasiErrno random_get(HostCall& call, std::uint32_t buffer, std::uint32_t length) {
  auto room = GuestWriter::open(call, buffer, length);
  if (!room) return refuse(call, WasiErrno::fault);
  for (auto piece = room->next(length); !piece.empty(); piece = room->next(length)) call.context.random.fill(piece);
  return WasiErrno::success;
}

}  // namespace

HostFamily wasi_random_functions() {
  return {host_function<&random_get>(
      {.module = kWasi, .name = "random_get", .fuel = 16, .charges_bytes = true, .permission = Permission::random})};
}

}  // namespace petri
