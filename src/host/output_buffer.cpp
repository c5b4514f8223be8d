#include "host/output_buffer.h"

#include <algorithm>

namespace petri {

std::size_t OutputBuffer::append(std::string_view bytes, std::uint64_t bytes_max) {
  const std::size_t kept = count(bytes.size(), bytes_max);
  text_.append(bytes.substr(0, kept));
  return kept;
}

std::size_t OutputBuffer::pass(std::string_view bytes, std::uint64_t bytes_max) {
  return count(bytes.size(), bytes_max);
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
