// The bytes a guest answers with.
#include "host/families.h"

namespace petri {
namespace {

// Appends to the answer and tells how many bytes were kept: fewer than `length` once the answer is full.
std::int32_t output_write(HostCall& call, std::uint32_t source, std::uint32_t length) {
  const auto bytes = call.text(source, length);
  if (!bytes) return call.refuse(GuestError::out_of_bounds);
  if (!call.charge_bytes(length)) return 0;
  return static_cast<std::int32_t>(call.context.write_output(*bytes));
}

}  // namespace

HostFamily output_functions() {
  return {host_function<&output_write>({.module = "petri", .name = "output_write", .fuel = 8, .charges_bytes = true})};
}

}  // namespace petri
