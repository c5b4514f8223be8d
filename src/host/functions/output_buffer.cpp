#include "host/functions/output_buffer.h"

#include <algorithm>
#include <new>

namespace petri {

std::size_t OutputBuffer::append(std::string_view bytes, std::uint64_t bytes_max) {
  const std::size_t kept = count(bytes.size(), bytes_max);
  make_room(kept, bytes_max);
  text_.append(bytes.substr(0, kept));
  return kept;
}

std::size_t OutputBuffer::pass(std::string_view bytes, std::uint64_t bytes_max) {
  return count(bytes.size(), bytes_max);
}

// A string doubles, but what is kept is all that is on the guest's account: a longer one grows by an eighth. To grow is
// to copy: a long one gets all the room it may take at once, which is memory only as it is written.
void OutputBuffer::make_room(std::size_t more, std::uint64_t bytes_max) {
  constexpr std::size_t kDoubledMax = std::size_t{16} << 10, kCopiedMax = std::size_t{1} << 20;
  const std::size_t wanted = text_.size() + more;
  if (wanted <= text_.capacity() || wanted < kDoubledMax) return;
  if (wanted > kCopiedMax) {
    try {
      return move_to_room(std::max(wanted, static_cast<std::size_t>(bytes_max)));
    } catch (const std::bad_alloc&) {
      // Then it grows as it must.
    }
  }
  move_to_room(std::max(wanted, text_.size() + text_.size() / 8));
}

// Exactly so much: reserve() of a string that has bytes may double it.
void OutputBuffer::move_to_room(std::size_t bytes) {
  std::string larger;
  larger.reserve(bytes);
  larger.append(text_);
  text_.swap(larger);
}

void OutputBuffer::clear() {
  text_.clear();
  bytes_kept_ = 0;
  bytes_cut_ = 0;
}

std::size_t OutputBuffer::count(std::size_t size, std::uint64_t bytes_max) {
  const std::uint64_t room = bytes_cut_ > 0 || bytes_kept_ >= bytes_max ? 0 : bytes_max - bytes_kept_;
  const auto kept = static_cast<std::size_t>(std::min<std::uint64_t>(size, room));
  bytes_kept_ += kept;
  bytes_cut_ += size - kept;
  return kept;
}

}  // namespace petri
