// Follows a chain line by line and says what is wrong with the first line that does not belong.
#pragma once

#include <optional>
#include <string_view>

#include "audit/chain.h"
#include "petri/audit.h"

namespace petri {

class ChainReader {
 public:
  // From the start of a file, whose first line is read already.
  ChainReader(ChainEnd begin, std::uint64_t line) : end_(begin), line_(line) {}

  // The next line, without its end. After a fault nothing further can be checked.
  std::optional<AuditFault> check(std::string_view line);
  const ChainEnd& end() const { return end_; }

 private:
  ChainEnd end_;
  std::uint64_t line_;
};

// The chain that the first line of an audit file starts.
struct ChainBegin {
  ChainEnd end;
  bool genuine = false;  // whether its hash is that of its text
};
// parse_failed when it is no first line of an audit file, or one of another version.
Result<ChainBegin> begin_chain(std::string_view first_line);

// A line of an entry, whose place in the chain is not looked at.
struct ReadLine {
  AuditEntry entry;
  SealedText sealed;
};
std::optional<ReadLine> read_line(std::string_view line);

}  // namespace petri
