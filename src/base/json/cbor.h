// The one place that knows how CBOR (RFC 8949) is spelled: the part of it that petri writes, in its deterministic form,
// shortest heads and known lengths. A float keeps its own width and goes through no conversion, so that every NaN keeps
// its bits; nlohmann's writer narrows floats to the shortest width, so equal states could differ as bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

namespace petri {

using CborNumber = std::variant<std::int64_t, std::uint64_t, float, double>;

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

// Appends to a text, which outlives it.
class CborWriter {
 public:
  explicit CborWriter(std::string& out) : out_(out) {}

  void head(CborKind kind, std::uint64_t argument);
  void text(std::string_view text);
  void bytes(std::span<const std::uint8_t> bytes);
  void boolean(bool value);
  void null();
  void number(const CborNumber& number);

 private:
  void big_endian(std::uint64_t value, int size);
  void initial(CborKind kind, std::uint8_t detail);
  std::string& out_;
};

// Reads what CborWriter writes, one item after another. What is of another kind, or not all there, is nullopt.
class CborReader {
 public:
  explicit CborReader(std::span<const std::uint8_t> input) : rest_(input) {}

  bool at_end() const { return rest_.empty(); }
  std::size_t left() const { return rest_.size(); }
  // True once something was asked for that the input is too short for; from then on everything is nullopt.
  bool is_cut() const { return is_cut_; }

  // The head of any item: its kind, and the number behind it, which `detail` below 24 is itself.
  struct Head {
    CborKind kind;
    std::uint8_t detail;
    std::uint64_t argument;

    std::optional<bool> boolean() const;
    bool is_null() const;
  };
  std::optional<Head> next();
  std::optional<std::span<const std::uint8_t>> take(std::uint64_t size);

  // The argument of the next head if it is of this kind.
  std::optional<std::uint64_t> head(CborKind kind);
  std::optional<std::string_view> text();
  std::optional<std::span<const std::uint8_t>> bytes();
  std::optional<bool> boolean();
  std::optional<CborNumber> number();

 private:
  std::span<const std::uint8_t> rest_;
  bool is_cut_ = false;
};

}  // namespace petri
