// Bytes as they come, cut into lines.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace petri::cli {

struct CutLine {
  std::string text;       // without its end, be it \n or \r\n
  bool too_long = false;  // then there is no text
  bool operator==(const CutLine&) const = default;
};

// Keeps at most `line_bytes_max` of a line, and what follows it: a longer one is skipped up to its end, and said to be
// too long.
class LineCutter {
 public:
  explicit LineCutter(std::size_t line_bytes_max) : line_bytes_max_(line_bytes_max) {}

  void add(std::string_view bytes);
  // No more bytes come: what is left is a line, if there is anything.
  void finish() { finished_ = true; }
  std::optional<CutLine> next();

 private:
  CutLine take(std::size_t bytes, std::size_t end_bytes);
  std::size_t line_bytes_max_;
  std::string waiting_;
  std::size_t at_ = 0;      // where the next line starts
  std::size_t looked_ = 0;  // no line end before this
  bool skipping_ = false;
  bool finished_ = false;
};

}  // namespace petri::cli
