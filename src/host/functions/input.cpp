// The bytes a guest was called with.
#include <algorithm>

#include "host/functions/families.h"
#include "host/guest/guest_writer.h"

namespace petri {
namespace {

std::int32_t input_size(HostCall& call) { return static_cast<std::int32_t>(call.context.input.size()); }

// Copies what there is from `offset` on, at most `length` bytes; answers how many that were, 0 past the end.
std::int32_t input_read(HostCall& call, std::uint32_t destination, std::uint32_t offset, std::uint32_t length) {
  auto room = GuestWriter::open(call, destination, length);
  if (!room) return call.refuse(GuestError::out_of_bounds);
  const std::string_view input = call.context.input;
  return static_cast<std::int32_t>(room->write(input.substr(std::min<std::size_t>(offset, input.size()), length)));
}

}  // namespace

HostFamily input_functions() {
  return {
      host_function<&input_size>({.module = "petri", .name = "input_size", .fuel = 4}),
      host_function<&input_read>({.module = "petri", .name = "input_read", .fuel = 8, .charges_bytes = true}),
  };
}

}  // namespace petri
