// The lines of a file from the last to the first.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

// Reads a regular file in large pieces from its end. Not for several threads at once.
class BackwardLines {
 public:
  // io_error when it cannot be opened.
  static Result<std::unique_ptr<BackwardLines>> open(
      const std::string& path, std::size_t line_bytes_max = std::numeric_limits<std::size_t>::max());
  ~BackwardLines();
  BackwardLines(const BackwardLines&) = delete;
  BackwardLines& operator=(const BackwardLines&) = delete;

  // Without its end; nothing before the first. Valid until the next. What follows the last line end is left out. A line
  // that is longer than it may be is too_large, as soon as that is known.
  Result<std::optional<std::string_view>> next();

 private:
  BackwardLines(std::string path, int descriptor, std::size_t line_bytes_max)
      : path_(std::move(path)), descriptor_(descriptor), line_bytes_max_(line_bytes_max) {}
  Result<void> fill();
  std::unexpected<Error> failed(int why) const;

  const std::string path_;
  const int descriptor_;
  const std::size_t line_bytes_max_;
  std::uint64_t unread_ = 0;  // bytes of the file before those in the buffer
  std::string buffer_;
  std::size_t end_ = 0;       // of what is left in the buffer
  bool at_line_end_ = false;  // the byte at end_ is the end of the line that comes next
};

}  // namespace petri
