// How lines hang together: each ends in a hash over the hash before it and its own text.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "petri/audit.h"

namespace petri {

// The longest line there can be, its end not counted: every text as long as it may be, and every byte escaped.
constexpr std::size_t kAuditLineBytesMax = std::size_t{64} << 10;

// Where a chain has come to.
struct ChainEnd {
  std::uint64_t number = 0;  // of the last entry; 0 after the first line, which is none
  Sha256 hash{};
  bool operator==(const ChainEnd&) const = default;
};

// Makes one line at a time, in memory that is used again.
class ChainLine {
 public:
  // Starts the line that follows this hash. The text is an object without its last bracket; what is added to it is
  // valid until the next begin().
  std::string& begin(const Sha256& before);
  // Ends it with its hash and a line end.
  Sha256 seal();
  // With its line end, once it is sealed.
  std::string_view text() const;

 private:
  std::string buffer_;  // the hash before, as bytes, then the line
};

// A line taken apart.
struct SealedText {
  std::string_view body;  // what the hash is over, without the hash before
  Sha256 hash{};
};
std::optional<SealedText> split_seal(std::string_view line);

// True if the hash is over this hash before and the body.
bool follows(const SealedText& sealed, const Sha256& before);

}  // namespace petri
