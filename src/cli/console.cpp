#include "cli/console.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

namespace petri::cli {
namespace {

// A pipe that poll() calls writable takes this much without blocking (PIPE_BUF); larger writes could hang in the
// kernel.
constexpr std::size_t kChunkBytes = 4096;
constexpr int kPollMilliseconds = 20;

// https://no-color.org: any value but an empty one turns colours off.
bool colours_wanted() {
  const char* const no_colour = std::getenv("NO_COLOR");
  const char* const terminal = std::getenv("TERM");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  return terminal != nullptr && std::string_view(terminal) != "dumb";
}

std::string_view escape_of(Colour colour) {
  switch (colour) {
    case Colour::failure: return "\x1b[1;31m";
    case Colour::warning: return "\x1b[1;33m";
    case Colour::well: return "\x1b[32m";
  }
  return "";
}

}  // namespace

OutputStream::OutputStream(int descriptor, std::string name)
    : descriptor_(descriptor), name_(std::move(name)), terminal_(::isatty(descriptor) == 1) {}

OutputStream::OutputStream(OutputStream&& other) noexcept
    : descriptor_(other.descriptor_),
      name_(std::move(other.name_)),
      terminal_(other.terminal_),
      text_(std::exchange(other.text_, {})),
      failure_(other.failure_) {}

OutputStream::~OutputStream() {
  if (terminal_) write_all(text_.finish(), [] { return true; });
}

void OutputStream::write(std::string_view bytes, const std::function<bool()>& give_up) {
  terminal_ ? write_all(text_.next(bytes), give_up) : write_all(bytes, give_up);
}

void OutputStream::write_control(std::string_view bytes, const std::function<bool()>& give_up) {
  if (terminal_) write_all(text_.finish(), give_up);
  write_all(bytes, give_up);
}

void OutputStream::write_coloured(Colour colour, std::string_view words) {
  if (!terminal_ || !colours_wanted()) return write(words);
  write_control(escape_of(colour));
  write(words);
  write_control("\x1b[0m");
}

void OutputStream::write_all(std::string_view bytes, const std::function<bool()>& give_up) {
  while (!bytes.empty() && !failed() && wait_until_writable(give_up)) {
    const std::string_view chunk = bytes.substr(0, kChunkBytes);
    const ssize_t written = ::write(descriptor_, chunk.data(), chunk.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR && errno != EAGAIN) {
      failure_ = errno;
    }
  }
}

bool OutputStream::wait_until_writable(const std::function<bool()>& give_up) const {
  // The first look does not wait: a caller that has given up writes what still fits and is not held up again.
  for (int milliseconds = 0;; milliseconds = kPollMilliseconds) {
    pollfd poll_descriptor{.fd = descriptor_, .events = POLLOUT, .revents = 0};
    // Errors and hang-ups count as writable: the write that follows shows what happened.
    if (::poll(&poll_descriptor, 1, milliseconds) != 0) return true;
    if (give_up && give_up()) return false;
  }
}

std::optional<std::size_t> OutputStream::columns() const {
  winsize size{};
  if (!terminal_ || ::ioctl(descriptor_, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

Result<void> OutputStream::status() const {
  if (!failed()) return {};
  return fail(ErrorCode::io_error,
              fmt::format("{} could not be written: {}", name_, std::generic_category().message(failure_)));
}

}  // namespace petri::cli
