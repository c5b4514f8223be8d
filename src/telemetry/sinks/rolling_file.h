// A file of lines that never grows beyond a size: when it is full it is set aside, and a new one is started.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/files/line_file.h"

namespace petri {

// Not for several threads at once.
class RollingFile {
 public:
  // Appends after the last complete line of a regular file, or creates it; errors are those of LineFile::resume().
  static Result<std::unique_ptr<RollingFile>> open(std::string path, std::uint64_t bytes_max);

  // One whole line, or nothing of it and io_error; the next call tries anew. A line that finds no room makes the file
  // "PATH.1", in place of an older one.
  Result<void> append(std::string_view line);
  // Closes the file that is written now; io_error when its last bytes could not be. Nothing may follow.
  Result<void> close();

 private:
  RollingFile(std::string path, std::uint64_t bytes_max) : path_(std::move(path)), bytes_max_(bytes_max) {}
  // Opens a file that has room for this many bytes more, setting the full one aside. An empty file always has room.
  Result<void> make_room(std::size_t bytes);
  Result<void> set_aside();

  const std::string path_;
  const std::uint64_t bytes_max_;
  std::unique_ptr<LineFile> file_;  // nullptr when a new one could not be started
};

}  // namespace petri
