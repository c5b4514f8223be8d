// The answer a guest writes: its first bytes, and how many came too late.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace petri {

// `bytes_max` is an argument of each call because memory that the guest grows leaves less for its answer. One thread at
// a time.
class OutputBuffer {
 public:
  // Keeps what fits while all kept bytes stay within `bytes_max`, and counts the rest as cut. Once something was cut
  // nothing more is kept, so that the bytes are the first ones. Answers how many bytes were kept now.
  std::size_t append(std::string_view bytes, std::uint64_t bytes_max);
  // Counts bytes that someone else takes away, without storing them.
  std::size_t pass(std::string_view bytes, std::uint64_t bytes_max);

  const std::string& text() const { return text_; }
  std::string take() { return std::exchange(text_, {}); }
  std::uint64_t bytes_kept() const { return bytes_kept_; }
  std::uint64_t bytes_cut() const { return bytes_cut_; }
  // Forgets everything but the memory it has.
  void clear();

 private:
  std::size_t count(std::size_t size, std::uint64_t bytes_max);
  void make_room(std::size_t more, std::uint64_t bytes_max);
  void move_to_room(std::size_t bytes);

  std::string text_;
  std::uint64_t bytes_kept_ = 0;
  std::uint64_t bytes_cut_ = 0;
};

}  // namespace petri
