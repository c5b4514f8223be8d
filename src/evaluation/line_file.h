// Files of lines: written as whole lines, read line by line.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

// Not for several threads at once.
class LineFile {
 public:
  // Makes the file, or empties it; io_error.
  static Result<std::unique_ptr<LineFile>> create(const std::string& path);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Whole lines, in one write if the machine takes them. On io_error the last line that was not written whole is taken
  // back, as far as the file can be cut, and all further calls fail likewise.
  Result<void> append(std::string_view lines);
  std::size_t lines() const { return lines_; }  // whole ones, in the file
  Result<void> close();

 private:
  LineFile(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  void count(std::string_view whole_lines);
  void cut_to_whole_lines();
  std::unexpected<Error> failed(std::string_view what, int why);

  const std::string path_;
  int descriptor_;
  std::uint64_t bytes_ = 0;  // of whole lines
  std::size_t lines_ = 0;
  std::optional<Error> failure_;
};

// Reads a regular file in large pieces, so that any size can be read.
class LineReader {
 public:
  // io_error when it cannot be opened or is not a regular file.
  static Result<std::unique_ptr<LineReader>> open(const std::string& path);
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Without its end; nothing at the end of the file. Valid until the next. A line that has no end is parse_failed: the
  // file was not written to its end.
  Result<std::optional<std::string_view>> next();
  std::size_t line() const { return line_; }  // the number of the last one, from 1
  const std::string& path() const { return path_; }
  // Back to the beginning.
  Result<void> rewind();

 private:
  LineReader(std::string path, int descriptor) : path_(std::move(path)), descriptor_(descriptor) {}
  Result<bool> fill();

  const std::string path_;
  int descriptor_;
  std::string buffer_;
  std::size_t start_ = 0;  // of what is not read yet
  std::size_t line_ = 0;
};

}  // namespace petri
