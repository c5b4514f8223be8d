// A line of the shell, taken apart into words.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri::cli {

constexpr std::size_t kShellLineBytesMax = std::size_t{1} << 20;

struct ShellWord {
  std::string text;       // without its quotes; any bytes
  std::size_t begin = 0;  // where it stands in the line, in bytes
  std::size_t end = 0;
  bool separates = false;  // a ";" that stands between two commands
  bool operator==(const ShellWord&) const = default;
};

// As far as a line can be read.
struct WordScan {
  std::vector<ShellWord> words;  // all before what is wrong
  std::optional<Error> wrong;    // validation_failed with a detail "column", counted in characters from 1
  bool open = false;             // the last word reaches the end of the line: what is typed next belongs to it
  char quote = 0;                // the quote it is inside of, if any
};

// Words are separated by spaces and tabs. Inside '...' every character stands for itself; inside "..." \" \\ \n \r \t
// and \xNN are what they are in C; elsewhere a backslash takes its meaning from the next character. A # that starts a
// word starts a comment, and a ; ends the command. NUL, other control characters, bytes that are not UTF-8 and lines
// beyond kShellLineBytesMax are wrong.
WordScan scan_words(std::string_view line);

// The words, or what is wrong.
Result<std::vector<ShellWord>> split_words(std::string_view line);

// The words of each command of a line, without what separates them; a command that has no word is left out.
std::vector<std::vector<ShellWord>> commands_of(std::vector<ShellWord> words);

// The word as it can be typed: split_words() reads it back, whatever bytes it has.
std::string quote_word(std::string_view text);

}  // namespace petri::cli
