#include "base/files/line_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files/file.h"
#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
constexpr std::size_t kTailPieceBytes = std::size_t{64} << 10;

std::string reason(int why) {
  if (why == ENOSPC || why == EDQUOT) return "the disk is full";
  if (why == ENOENT) return "there is no such file or folder";
  if (why == EACCES || why == EPERM || why == EROFS) return "it is not allowed here";
  if (why == EISDIR) return "this is a folder";
  return errno_text(why);
}

Error io_error(const std::string& path, std::string_view what, std::string_view why) {
  return Error{.code = ErrorCode::io_error,
               .message = fmt::format("{}: {}: {}", escape_text(path, kPathShownBytesMax), what, why),
               .details = {}}
      .with("path", path);
}

bool has_zero(const std::string& path) { return path.find('\0') != std::string::npos; }

// io_error unless it is a regular file.
Result<std::uint64_t> regular_file_bytes(int descriptor, const std::string& path, std::string_view what) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return fail(io_error(path, what, reason(errno)));
  if (S_ISDIR(status.st_mode)) return fail(io_error(path, what, reason(EISDIR)));
  if (!S_ISREG(status.st_mode)) return fail(io_error(path, what, "this is not a regular file"));
  return static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
}

constexpr std::string_view kNotWritten = "the file cannot be written";

Error line_too_long(const std::string& path, std::uint64_t bytes_max) {
  Error error = io_error(path, kNotWritten,
                         fmt::format("its last line has more than {}; name another file", format_bytes(bytes_max)));
  error.code = ErrorCode::too_large;
  return error;
}

Result<void> lock(int descriptor, const std::string& path) {
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return {};
  Error error = io_error(path, kNotWritten, errno == EWOULDBLOCK ? "somebody else is writing it" : reason(errno));
  if (errno == EWOULDBLOCK) error.code = ErrorCode::busy;
  return fail(std::move(error));
}

// The length of the line at the front of `bytes`, read from its first four bytes and without them; nullopt where they
// are not all there.
std::optional<std::size_t> framed_length(std::string_view bytes) {
  if (bytes.size() < kLengthBytes) return std::nullopt;
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) length = length << 8 | static_cast<std::uint8_t>(bytes[i]);
  return length;
}

// Calls with the bytes of each whole line at the front, its length included.
template <typename EachLine>
void for_each_framed(std::string_view bytes, EachLine each) {
  for (;;) {
    const auto length = framed_length(bytes);
    if (!length || *length > bytes.size() - kLengthBytes) return;
    each(kLengthBytes + *length);
    bytes.remove_prefix(kLengthBytes + *length);
  }
}

}  // namespace

std::size_t begin_framed_line(std::string& out) {
  out.append(kLengthBytes, '\0');
  return out.size();
}

void end_framed_line(std::string& out, std::size_t line_start) {
  std::size_t length = out.size() - line_start;
  for (std::size_t i = 1; i <= kLengthBytes; ++i, length >>= 8) out[line_start - i] = static_cast<char>(length & 0xff);
}

void append_framed_line(std::string& out, std::string_view line) {
  const std::size_t line_start = begin_framed_line(out);
  out += line;
  end_framed_line(out, line_start);
}

Result<std::unique_ptr<LineFile>> LineFile::create(const std::string& path, Framing framing) {
  if (has_zero(path)) return fail(io_error(path, "the file cannot be made", "a path cannot hold a NUL"));
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY, 0644);
  if (descriptor < 0) return fail(io_error(path, "the file cannot be made", reason(errno)));
  return std::unique_ptr<LineFile>(new LineFile(path, descriptor, framing));
}

Result<std::unique_ptr<LineFile>> LineFile::on_standard_output(Framing framing) {
  const int descriptor = ::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  if (descriptor < 0) return fail(io_error("stdout", kNotWritten, reason(errno)));
  std::unique_ptr<LineFile> file(new LineFile("stdout", descriptor, framing));
  file->may_be_cut_ = false;
  return file;
}

Result<std::unique_ptr<LineFile>> LineFile::resume(const std::string& path, std::uint64_t line_bytes_max) {
  if (has_zero(path)) return fail(io_error(path, kNotWritten, "a path cannot hold a NUL"));
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_NONBLOCK | O_CLOEXEC | O_NOCTTY, 0644);
  if (descriptor < 0) return fail(io_error(path, kNotWritten, reason(errno)));
  std::unique_ptr<LineFile> file(new LineFile(path, descriptor, Framing::line_ends));
  PETRI_TRY(lock(descriptor, path));
  PETRI_TRY(file->find_whole_lines(line_bytes_max));
  return file;
}

Result<std::unique_ptr<LineFile>> LineFile::continue_behind(const std::string& path, Framing framing,
                                                            std::uint64_t bytes, std::size_t lines) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return fail(io_error(path, kNotWritten, reason(errno)));
  std::unique_ptr<LineFile> file(new LineFile(path, descriptor, framing));
  PETRI_TRY(lock(descriptor, path));
  PETRI_TRY(const std::uint64_t size, regular_file_bytes(descriptor, path, kNotWritten));
  file->bytes_ = std::min(bytes, size);
  file->lines_ = lines;
  file->ragged_ = size > bytes;
  if (::lseek(descriptor, static_cast<off_t>(file->bytes_), SEEK_SET) < 0)
    return fail(io_error(path, kNotWritten, reason(errno)));
  return file;
}

LineFile::~LineFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<void> LineFile::append(std::string_view lines) {
  if (failure_) return fail(*failure_);
  if (descriptor_ < 0) return failed("nothing more can be written", EBADF);
  if (ragged_ && !cut_to_whole_lines()) return failed("the line that is cut off cannot be taken away", errno);
  std::size_t done = 0;
  while (done < lines.size()) {
    const ssize_t written = ::write(descriptor_, lines.data() + done, lines.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      const int why = errno;
      count(lines.substr(0, whole_bytes(lines.substr(0, done))));
      ragged_ = true;
      cut_to_whole_lines();
      return failed("the lines cannot be written", why);
    }
    done += static_cast<std::size_t>(written);
  }
  count(lines);
  return {};
}

std::size_t LineFile::whole_bytes(std::string_view lines) const {
  if (framing_ == Framing::line_ends) return lines.rfind('\n') + 1;
  std::size_t whole = 0;
  for_each_framed(lines, [&](std::size_t bytes) { whole += bytes; });
  return whole;
}

void LineFile::count(std::string_view whole_lines) {
  bytes_ += whole_lines.size();
  if (framing_ == Framing::lengths) return for_each_framed(whole_lines, [&](std::size_t) { ++lines_; });
  // Faster than looking at each byte: lines are long.
  for (std::size_t end = 0; (end = whole_lines.find('\n', end)) != std::string_view::npos; ++end) ++lines_;
}

// The last line end is looked for from the back.
Result<void> LineFile::find_whole_lines(std::uint64_t line_bytes_max) {
  PETRI_TRY(const std::uint64_t size, regular_file_bytes(descriptor_, path_, kNotWritten));
  std::uint64_t from = size;
  while (from > 0 && bytes_ == 0) {
    if (size - from > line_bytes_max) return fail(line_too_long(path_, line_bytes_max));
    const std::uint64_t end = from;
    from -= std::min<std::uint64_t>(end, kTailPieceBytes);
    PETRI_TRY(const std::string piece, read(from, end - from));
    bytes_ = piece.find('\n') == std::string::npos ? 0 : from + piece.rfind('\n') + 1;
  }
  ragged_ = size > bytes_;
  if (::lseek(descriptor_, static_cast<off_t>(bytes_), SEEK_SET) < 0)
    return fail(io_error(path_, kNotWritten, reason(errno)));
  return {};
}

// A pipe cannot be cut; what went into it is gone.
bool LineFile::cut_to_whole_lines() {
  if (!may_be_cut_) return false;
  if (::ftruncate(descriptor_, static_cast<off_t>(bytes_)) != 0) return false;
  if (::lseek(descriptor_, static_cast<off_t>(bytes_), SEEK_SET) < 0) return false;
  ragged_ = false;
  return true;
}

Result<std::string> LineFile::read(std::uint64_t from, std::size_t bytes_max) const {
  std::string bytes(bytes_max, '\0');
  const ssize_t count = ::pread(descriptor_, bytes.data(), bytes_max, static_cast<off_t>(from));
  if (count < 0) return fail(io_error(path_, "the file cannot be read", reason(errno)));
  bytes.resize(static_cast<std::size_t>(count));
  return bytes;
}

Result<void> LineFile::sync() {
  if (failure_) return fail(*failure_);
  if (::fsync(descriptor_) != 0) return fail(io_error(path_, "the file cannot be brought to the disk", reason(errno)));
  return {};
}

Result<void> LineFile::close() {
  if (failure_) return fail(*failure_);
  if (descriptor_ < 0) return {};
  const int closed = ::close(std::exchange(descriptor_, -1));
  if (closed != 0) return failed("the file cannot be closed", errno);
  return {};
}

std::unexpected<Error> LineFile::failed(std::string_view what, int why) {
  failure_ = io_error(path_, what, reason(why));
  return fail(*failure_);
}

Result<std::unique_ptr<LineReader>> LineReader::open(const std::string& path, std::size_t line_bytes_max) {
  constexpr std::string_view kWhat = "the file cannot be read";
  if (has_zero(path)) return fail(io_error(path, kWhat, "a path cannot hold a NUL"));
  // O_NONBLOCK: opening a FIFO nobody writes to would otherwise wait for ever.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0) return fail(io_error(path, kWhat, reason(errno)));
  std::unique_ptr<LineReader> reader(new LineReader(path, descriptor, line_bytes_max));
  PETRI_TRY(regular_file_bytes(descriptor, path, kWhat));
  return reader;
}

LineReader::~LineReader() { ::close(descriptor_); }

Result<std::optional<std::string_view>> LineReader::next() {
  std::size_t looked = start_;
  for (;;) {
    const auto found = find_line(looked);
    if (found ? found->bytes > line_bytes_max_ : is_too_long()) {
      return refuse_next(ErrorCode::too_large, "is too long");
    }
    if (found) {
      framed_line_ = std::string_view(buffer_).substr(start_, found->end - start_);
      start_ = found->end;
      ++line_;
      return std::string_view(buffer_).substr(found->from, found->bytes);
    }
    looked = buffer_.size() - start_;
    PETRI_TRY(const bool more, fill());
    if (more) continue;
    if (start_ == buffer_.size()) return std::nullopt;
    return refuse_next(ErrorCode::parse_failed, "is cut off: the file was not written to its end");
  }
}

// `looked` is where a line end may be: what is before it was seen already.
std::optional<LineReader::Found> LineReader::find_line(std::size_t looked) const {
  if (framing_ == Framing::line_ends) {
    const std::size_t end = buffer_.find('\n', looked);
    if (end == std::string::npos) return std::nullopt;
    return Found{.from = start_, .bytes = end - start_, .end = end + 1};
  }
  const std::string_view left = std::string_view(buffer_).substr(start_);
  const auto length = framed_length(left);
  if (!length || *length > left.size() - kLengthBytes) return std::nullopt;
  return Found{.from = start_ + kLengthBytes, .bytes = *length, .end = start_ + kLengthBytes + *length};
}

// Though its end is not there yet.
bool LineReader::is_too_long() const {
  const std::string_view left = std::string_view(buffer_).substr(start_);
  return framing_ == Framing::line_ends ? left.size() > line_bytes_max_
                                        : framed_length(left).value_or(0) > line_bytes_max_;
}

Result<bool> LineReader::starts_with_bytes(std::string_view bytes) {
  while (buffer_.size() < bytes.size()) {
    PETRI_TRY(const bool more, fill());
    if (!more) break;
  }
  return std::string_view(buffer_).starts_with(bytes);
}

std::unexpected<Error> LineReader::refuse_next(ErrorCode code, std::string_view why) const {
  return fail(Error{.code = code,
                    .message = fmt::format("{}: line {} {}", escape_text(path_, kPathShownBytesMax), line_ + 1, why),
                    .details = {}}
                  .with("line", std::to_string(line_ + 1)));
}

// Adds a piece to what is not read yet. False at the end.
Result<bool> LineReader::fill() {
  buffer_.erase(0, std::exchange(start_, 0));
  const std::size_t kept = buffer_.size();
  buffer_.resize(kept + kPieceBytes);
  ssize_t count = -1;
  do {
    count = ::read(descriptor_, buffer_.data() + kept, kPieceBytes);
  } while (count < 0 && errno == EINTR);
  const int why = errno;
  buffer_.resize(kept + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0) return fail(io_error(path_, "the file cannot be read", reason(why)));
  return count > 0;
}

}  // namespace petri
