// Where a command's words go: two descriptors, written at once and unbuffered, so that their order is the order of
// events.
#pragma once

#include <cerrno>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/terminal_text.h"
#include "petri/result.h"

namespace petri::cli {

// Colours by their meaning: a failure, a warning, an answer that is well.
enum class Colour { failure, warning, well };

// One descriptor that is written to. A failed write is remembered and everything after it is dropped: a reader that
// went away (EPIPE) or a full disk ends the output, never the process. Used from one thread at a time.
//
// The one way to a terminal: what a guest wrote may be in any text, so all that is written to one is made harmless as
// TerminalText does it. No guest can move the cursor, hide or forge a line of petri's own, wherever its text is written
// from.
class OutputStream {
 public:
  OutputStream(int descriptor, std::string name);
  // Shows what a guest left of a character that never came to its end.
  ~OutputStream();
  OutputStream(OutputStream&& other) noexcept;
  OutputStream& operator=(OutputStream&&) = delete;

  // Writes all of it, however slowly it is read. With `give_up`, asked every few milliseconds while nobody reads, it
  // drops the rest once that says so.
  void write(std::string_view bytes, const std::function<bool()>& give_up = {});
  // Writes petri's own words, in which control characters are meant: they move the cursor.
  void write_control(std::string_view bytes, const std::function<bool()>& give_up = {});

  // Writes petri's own words in a colour, where the stream is a terminal and NO_COLOR is not set.
  void write_coloured(Colour colour, std::string_view words);

  bool is_terminal() const { return terminal_; }
  // How wide the terminal is now; nothing when it is none or does not say.
  std::optional<std::size_t> columns() const;
  bool failed() const { return failure_ != 0; }
  bool reader_is_gone() const { return failure_ == EPIPE; }
  // io_error once a write has failed, in words that name the stream.
  Result<void> status() const;

 private:
  bool wait_until_writable(const std::function<bool()>& give_up) const;
  void write_all(std::string_view bytes, const std::function<bool()>& give_up);

  int descriptor_;
  std::string name_;
  bool terminal_;
  TerminalText text_;
  int failure_ = 0;  // errno
};

struct Console {
  OutputStream out;
  OutputStream error;
};

}  // namespace petri::cli
