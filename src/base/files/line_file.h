// Files of lines: written as whole lines, read line by line. Text ends its lines; lines of bytes stand behind their
// lengths.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "petri/result.h"

namespace petri {

// How the lines of a file are told apart.
enum class Framing : std::uint8_t {
  line_ends,  // each ends with a newline, and has no other
  lengths,    // each stands behind its number of bytes, four bytes with the highest first
};
constexpr std::size_t kLengthBytes = 4;

// Starts a line of bytes at the end of `out`, and gives it its length. Nothing else is appended in between but the
// line.
std::size_t begin_framed_line(std::string& out);
void end_framed_line(std::string& out, std::size_t line_start);
void append_framed_line(std::string& out, std::string_view line);

// Not for several threads at once.
class LineFile {
 public:
  static constexpr std::uint64_t kResumedLineBytesMax = std::uint64_t{16} << 20;

  // Makes the file, or empties it; io_error.
  static Result<std::unique_ptr<LineFile>> create(const std::string& path, Framing framing = Framing::line_ends);
  // Standard output, after what it has; a line that is cut off stays there.
  static Result<std::unique_ptr<LineFile>> on_standard_output(Framing framing = Framing::line_ends);
  // Continues a regular file behind its first `bytes`, which are `lines` whole ones; what stands behind them stays
  // until the first append. io_error; busy while somebody else appends.
  static Result<std::unique_ptr<LineFile>> continue_behind(const std::string& path, Framing framing,
                                                           std::uint64_t bytes, std::size_t lines);
  // Appends after the last complete line of a regular file, or creates it. A line that is cut off stays until the first
  // append. Nobody else may append to it meanwhile: busy. too_large when the last line has more than `line_bytes_max`:
  // the end of a file that is not ours is not looked for in all of it.
  static Result<std::unique_ptr<LineFile>> resume(const std::string& path,
                                                  std::uint64_t line_bytes_max = kResumedLineBytesMax);
  ~LineFile();
  LineFile(const LineFile&) = delete;
  LineFile& operator=(const LineFile&) = delete;

  // Whole lines, in one write if the machine takes them. On io_error the last line that was not written whole is taken
  // back, as far as the file can be cut, and all further calls fail likewise.
  Result<void> append(std::string_view lines);
  // After a failure: the next append is tried, behind the last whole line.
  void retry() { failure_.reset(); }
  // Reads bytes of a resumed file; fewer where the file ends first.
  Result<std::string> read(std::uint64_t from, std::size_t bytes_max) const;
  // Waits until all of it is on the disk.
  Result<void> sync();
  std::size_t lines() const { return lines_; }    // whole ones that were appended
  std::uint64_t bytes() const { return bytes_; }  // of all whole lines in the file
  Result<void> close();

 private:
  LineFile(std::string path, int descriptor, Framing framing)
      : path_(std::move(path)), framing_(framing), descriptor_(descriptor) {}
  void count(std::string_view whole_lines);
  std::size_t whole_bytes(std::string_view lines) const;
  Result<void> find_whole_lines(std::uint64_t line_bytes_max);
  bool cut_to_whole_lines();
  std::unexpected<Error> failed(std::string_view what, int why);

  const std::string path_;
  const Framing framing_;
  int descriptor_;
  std::uint64_t bytes_ = 0;  // of whole lines
  std::size_t lines_ = 0;
  bool may_be_cut_ = true;
  bool ragged_ = false;  // something stands after the whole lines
  std::optional<Error> failure_;
};

// Reads a regular file in large pieces, so that any size can be read.
class LineReader {
 public:
  // io_error when it cannot be opened or is not a regular file.
  static Result<std::unique_ptr<LineReader>> open(const std::string& path,
                                                  std::size_t line_bytes_max = std::numeric_limits<std::size_t>::max());
  ~LineReader();
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Without its end or length; nothing at the end of the file. Valid until the next. A line that has no end is
  // parse_failed: the file was not written to its end. One that is longer than it may be is too_large, as soon as that
  // is known.
  Result<std::optional<std::string_view>> next();
  // The last one with all that frames it. Valid as long.
  std::string_view framed_line() const { return framed_line_; }
  // True if the file starts with these bytes. To be called before the first line is read.
  Result<bool> starts_with_bytes(std::string_view bytes);
  // Both hold for the lines read from now on.
  void set_framing(Framing framing) { framing_ = framing; }
  void set_line_bytes_max(std::size_t line_bytes_max) { line_bytes_max_ = line_bytes_max; }
  std::size_t line() const { return line_; }  // the number of the last one, from 1
  const std::string& path() const { return path_; }

 private:
  LineReader(std::string path, int descriptor, std::size_t line_bytes_max)
      : path_(std::move(path)), descriptor_(descriptor), line_bytes_max_(line_bytes_max) {}
  // The line that starts at start_; nullopt as long as its end is not in the buffer.
  struct Found {
    std::size_t from, bytes, end;
  };
  std::optional<Found> find_line(std::size_t looked) const;
  bool is_too_long() const;
  Result<bool> fill();
  std::unexpected<Error> refuse_next(ErrorCode code, std::string_view why) const;

  const std::string path_;
  const int descriptor_;
  std::size_t line_bytes_max_;
  Framing framing_ = Framing::line_ends;
  std::string_view framed_line_;
  std::string buffer_;
  std::size_t start_ = 0;  // of what is not read yet
  std::size_t line_ = 0;
};

}  // namespace petri
