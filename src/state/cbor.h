// The part of CBOR (RFC 8949) a state document needs, written in its deterministic form: shortest heads, known lengths.
// Floats keep their own width, which is what lets every NaN keep its bits.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "state/state_number.h"

namespace petri {

enum class CborKind : std::uint8_t {
  unsigned_integer,
  negative_integer,
  byte_string,
  text_string,
  array,
  map,
  tag,
  other
};

class CborWriter {
 public:
  void head(CborKind kind, std::uint64_t argument);
  void text(std::string_view text);
  void bytes(std::span<const std::uint8_t> bytes);
  void boolean(bool value);
  void number(const StateNumber& number);
  std::vector<std::uint8_t> take() { return std::move(out_); }

 private:
  void big_endian(std::uint64_t value, int size);
  std::vector<std::uint8_t> out_;
};

// Reads what CborWriter writes and stops at anything else: every answer is then nothing, and stays so.
class CborReader {
 public:
  explicit CborReader(std::span<const std::uint8_t> input) : rest_(input) {}

  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }
  // The argument of the next head if it is of this kind.
  std::optional<std::uint64_t> head(CborKind kind);
  std::optional<std::string_view> text();
  std::optional<std::span<const std::uint8_t>> bytes();
  std::optional<bool> boolean();
  std::optional<StateNumber> number();

 private:
  struct Head {
    CborKind kind;
    std::uint8_t detail;
    std::uint64_t argument;
  };
  std::optional<Head> next();
  std::optional<std::span<const std::uint8_t>> take(std::uint64_t size);
  std::span<const std::uint8_t> rest_;
};

}  // namespace petri
