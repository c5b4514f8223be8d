#include "host/output_buffer.h"

#include <algorithm>
#include <new>

namespace petri {

std::size_t OutputBuffer::append(std::string_view bytes, std::uint64_t bytes_max) {
  const std::size_t kept = count(bytes.size(), bytes_max);
  if (text_.size() + kept > text_.capacity()) make_room(kept, bytes_max);
  text_.append(bytes.substr(0, kept));
  return kept;
}

std::size_t OutputBuffer::pass(std::string_view bytes, std::uint64_t bytes_max) {
  return count(bytes.size(), bytes_max);
}

// To grow is to copy: a long answer gets all the room it may take at once, which is memory only as it is written.
void OutputBuffer::make_room(std::size_t bytes, std::uint64_t bytes_max) {
  constexpr std::size_t kCopiedMax = std::size_t{1} << 20;
  if (text_.size() + bytes <= kCopiedMax) return;
  try {
    text_.reserve(static_cast<std::size_t>(bytes_max));
  } catch (const std::bad_alloc&) {
    // Then it grows as it must.
  }
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
