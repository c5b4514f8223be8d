// Bytes that are read from the front, without trusting them.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>

namespace petri {

// Borrows the bytes. Once a read has failed all others do: they answer zero, or nothing.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}
  explicit ByteReader(std::span<const std::uint8_t> bytes)
      : left_(reinterpret_cast<const char*>(bytes.data()), bytes.size()) {}

  bool failed() const { return failed_; }
  bool done() const { return failed_ || left_.empty(); }
  std::size_t left() const { return left_.size(); }

  std::string_view take(std::uint64_t size) {
    if (failed_ || size > left_.size()) {
      fail();
      return {};
    }
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(size);
    return taken;
  }
  std::uint8_t byte() {
    const std::string_view byte = take(1);
    return byte.empty() ? std::uint8_t{0} : static_cast<std::uint8_t>(byte[0]);
  }
  // An unsigned LEB128 number, in no more bytes than its type can need.
  template <std::unsigned_integral Number = std::uint32_t>
  Number number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < std::numeric_limits<Number>::digits; shift += 7) {
      const std::uint8_t next = byte();
      value |= std::uint64_t{next & 0x7fU} << shift;
      if ((next & 0x80U) == 0) return failed_ ? Number{0} : static_cast<Number>(value);
    }
    fail();
    return 0;
  }
  // The bytes before the next such one, which is taken, too.
  std::string_view take_until(char end) {
    const std::size_t size = left_.find(end);
    const std::string_view taken = take(size);
    take(1);
    return taken;
  }
  // As wasm has strings: their length, then their bytes.
  std::string_view string() { return take(number()); }

 protected:
  void fail() { failed_ = true; }

 private:
  std::string_view left_;
  bool failed_ = false;
};

}  // namespace petri
