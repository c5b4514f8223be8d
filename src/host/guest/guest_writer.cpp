#include "host/guest/guest_writer.h"

#include <algorithm>
#include <cstring>

namespace petri {

bool GuestWriter::pay(std::size_t bytes) {
  paid_bytes_ += bytes;
  const std::uint64_t due = paid_bytes_ / 64 - charged_;
  charged_ += due;
  return call_.charge(due);
}

std::size_t GuestWriter::write(std::string_view bytes) {
  const std::size_t all = std::min(bytes.size(), left());
  if (!pay(all)) return 0;
  for (std::size_t done = 0; done < all;) {
    const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>(all - done, Pace::kBytesMax));
    std::memcpy(room_.data() + used_, bytes.data() + done, piece);
    used_ += piece;
    done += piece;
    if (!pace_.step(piece)) return 0;
  }
  return all;
}

std::span<std::uint8_t> GuestWriter::next(std::size_t bytes_max) {
  const auto piece = static_cast<std::size_t>(std::min<std::uint64_t>({bytes_max, left(), Pace::kBytesMax}));
  if (piece == 0 || !pay(piece) || !pace_.step(piece)) return {};
  used_ += piece;
  return room_.subspan(used_ - piece, piece);
}

}  // namespace petri
