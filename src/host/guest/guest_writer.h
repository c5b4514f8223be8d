// Writes into guest memory from its start: charges fuel before each piece and looks at the clock between pieces.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "host/guest/pace.h"
#include "host/host_call.h"

namespace petri {

class GuestWriter {
 public:
  // nullopt unless all of the range exists. The memory does not move while the writer lives, which is no longer than
  // the host call.
  static std::optional<GuestWriter> open(HostCall& call, std::uint32_t pointer, std::uint64_t length) {
    const auto room = call.unpaid_memory(pointer, length);
    if (!room) return std::nullopt;
    return GuestWriter(call, *room);
  }

  std::size_t left() const { return room_.size() - used_; }
  std::size_t used() const { return used_; }

  // Copies as many of the bytes as there is room for. Returns how many; after the guest's end the number says nothing.
  std::size_t write(std::string_view bytes);
  // The next `bytes_max` bytes of the range or all that are left, paid for, for the caller to fill; empty when there
  // are none, or when the guest has ended.
  std::span<std::uint8_t> next(std::size_t bytes_max);

 private:
  GuestWriter(HostCall& call, std::span<std::uint8_t> room) : call_(call), pace_(call), room_(room) {}
  // False when the guest ended over the fuel or the clock.
  bool pay(std::size_t bytes);

  HostCall& call_;
  Pace pace_;
  std::span<std::uint8_t> room_;
  std::size_t used_ = 0;
  std::uint64_t charged_ = 0;  // a 64th of all that was paid for, rounded down once and not for each piece
  std::uint64_t paid_bytes_ = 0;
};

}  // namespace petri
