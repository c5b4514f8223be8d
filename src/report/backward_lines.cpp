#include "report/backward_lines.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files/file.h"
#include "base/text/escape.h"

namespace petri {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;

}  // namespace

Result<std::unique_ptr<BackwardLines>> BackwardLines::open(const std::string& path, std::size_t line_bytes_max) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
  const int why = errno;
  std::unique_ptr<BackwardLines> lines(new BackwardLines(path, descriptor, line_bytes_max));
  if (descriptor < 0) return lines->failed(why);
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return lines->failed(errno);
  lines->unread_ = static_cast<std::uint64_t>(std::max<off_t>(status.st_size, 0));
  return lines;
}

BackwardLines::~BackwardLines() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

Result<std::optional<std::string_view>> BackwardLines::next() {
  for (;;) {
    const std::string_view left = std::string_view(buffer_).substr(0, end_);
    const std::size_t before = left.rfind('\n');
    if (before == std::string_view::npos && left.size() > line_bytes_max_)
      return fail(ErrorCode::too_large, fmt::format("{}: a line is too long", escape_text(path_, 4'096)));
    if (before == std::string_view::npos && unread_ > 0) {
      PETRI_TRY(fill());
      continue;
    }
    const std::string_view line = left.substr(before == std::string_view::npos ? 0 : before + 1);
    const bool whole = std::exchange(at_line_end_, before != std::string_view::npos);
    end_ = left.size() - line.size() - (at_line_end_ ? 1 : 0);
    if (whole) return line;
    if (!at_line_end_) return std::nullopt;
  }
}

// Puts a piece before what is left: as much as is there already, so that a long line is not moved again and again.
Result<void> BackwardLines::fill() {
  const std::uint64_t count = std::min(unread_, std::max<std::uint64_t>(kPieceBytes, end_));
  buffer_.resize(end_);
  buffer_.insert(0, count, '\0');
  end_ = buffer_.size();
  unread_ -= count;
  for (std::uint64_t done = 0; done < count;) {
    const ssize_t got = ::pread(descriptor_, buffer_.data() + done, count - done, static_cast<off_t>(unread_ + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return failed(got < 0 ? errno : EIO);
    done += static_cast<std::uint64_t>(got);
  }
  return {};
}

std::unexpected<Error> BackwardLines::failed(int why) const {
  Error error{
      .code = ErrorCode::io_error,
      .message = fmt::format("{}: the file cannot be read again: {}", escape_text(path_, 4'096), errno_text(why)),
      .details = {}};
  return fail(std::move(error).with("path", path_));
}

}  // namespace petri
