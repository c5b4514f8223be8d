// The byte encoding that digests and receipts are made over: little-endian, fixed widths, every list and text behind
// its length, so that no two different things are encoded alike.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/text/byte_text.h"

namespace petri {

static_assert(std::endian::native == std::endian::little);

class CanonicalBytes {
 public:
  CanonicalBytes() = default;
  // Appends to `bytes`, which take() gives back: a buffer can be used again.
  explicit CanonicalBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  std::string take() && { return std::move(bytes_); }

  void clear() { bytes_.clear(); }
  void u8(std::uint8_t value) { bytes_.push_back(static_cast<char>(value)); }
  void u32(std::uint32_t value) { raw(&value, sizeof(value)); }
  void u64(std::uint64_t value) { raw(&value, sizeof(value)); }
  void text(std::string_view text) {
    u64(text.size());
    bytes_.append(text);
  }
  // The number of items, then their bytes as they are in memory: T must have no padding.
  template <typename T, std::size_t Size>
  void list(std::span<T, Size> items) {
    static_assert(std::is_trivially_copyable_v<T> && (sizeof(T) == 1 || sizeof(T) == 8 || sizeof(T) == 32));
    u64(items.size());
    raw(items.data(), items.size_bytes());
  }
  void digest(const Sha256& digest) { raw(digest.bytes.data(), digest.bytes.size()); }

  std::string_view view() const { return bytes_; }
  std::span<const std::uint8_t> bytes() const { return as_bytes(bytes_); }

 private:
  void raw(const void* data, std::size_t size) { bytes_.append(static_cast<const char*>(data), size); }

  std::string bytes_;
};

// Reads what CanonicalBytes wrote, in the same order; the bytes may come from anywhere. Once they are too few, all
// further numbers are zero and all lists empty, and is_whole() is false. Allocates no more than the bytes it was given.
class CanonicalReader {
 public:
  explicit CanonicalReader(std::string_view bytes) : bytes_(bytes) {}

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  std::string_view text() { return take(u64()); }
  template <typename T>
  void list(std::vector<T>& items) {
    const std::uint64_t size = u64();
    const std::string_view taken = size > bytes_.size() / sizeof(T) ? refuse() : take(size * sizeof(T));
    items.resize(taken.size() / sizeof(T));
    if (!taken.empty()) std::memcpy(items.data(), taken.data(), taken.size());
  }
  void digest(Sha256& digest) { std::ranges::copy(take(32), digest.bytes.begin()); }
  bool had_too_few() const { return too_few_; }
  // Everything that was asked for was there, and nothing is left.
  bool is_whole() const { return !too_few_ && bytes_.empty(); }

 private:
  template <typename Number>
  Number number() {
    Number value{};
    const std::string_view taken = take(sizeof(value));
    std::memcpy(&value, taken.data(), taken.size());
    return value;
  }
  std::string_view take(std::size_t size) {
    if (size > bytes_.size()) return refuse();
    const std::string_view taken = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return taken;
  }
  std::string_view refuse() {
    too_few_ = true;
    bytes_ = {};
    return {};
  }

  std::string_view bytes_;
  bool too_few_ = false;
};

}  // namespace petri
