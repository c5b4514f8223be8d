// The lines of a file from the last to the first.
#pragma once

#include <cstdint>
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
  static Result<std::unique_ptr<BackwardLines>> open(const std::string& path);
  ~BackwardLines();
  BackwardLines(const BackwardLines&) = delete;
  BackwardLines& operator=(const BackwardLines&) = delete;

  // Without its end; nothing before the first. Valid until the next. What follows the last line end is left out.
  Result<std::optional<std::string_view>> next();

 private:
  BackwardLines(std::string path, int descriptor, std::uint64_t size)
      : path_(std::move(path)), descriptor_(descriptor), unread_(size) {}
  Result<void> fill();
  std::unexpected<Error> failed(int why) const;

  const std::string path_;
  const int descriptor_;
  std::uint64_t unread_;  // bytes of the file before those in the buffer
  std::string buffer_;
  std::size_t end_ = 0;       // of what is left in the buffer
  bool at_line_end_ = false;  // the byte at end_ is the end of the line that comes next
};

}  // namespace petri
