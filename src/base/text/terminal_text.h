// Text on its way to a terminal that comes in pieces, such as the output of a guest.
#pragma once

#include <string>
#include <string_view>

namespace petri {

// Keeps lines, tabs and backslashes; everything else that escape_text() would escape is escaped as it does it: control
// characters of both sets, invisible characters, those that change the direction of writing, and bytes that are not
// UTF-8. A character may be cut apart anywhere: its start is kept until the rest comes, so nothing that is written
// between two pieces can be joined by a terminal. One of these for each stream.
class TerminalText {
 public:
  // The bytes of this piece, and of the rest kept before, that may be written now.
  std::string next(std::string_view bytes);
  // The rest that was kept, once no more bytes will come.
  std::string finish();

 private:
  std::string kept_;  // the start of a character, at most three bytes
};

// A text that is all there.
std::string for_terminal(std::string_view text);

}  // namespace petri
