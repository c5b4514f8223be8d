#include "base/files/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>

#include "base/files/owned_descriptor.h"
#include "base/text/escape.h"
#include "base/text/units.h"

namespace petri {
namespace {

std::unexpected<Error> refuse(ErrorCode code, const std::string& path, std::string_view why) {
  Error error{.code = code, .message = fmt::format("{}: {}", escape_text(path, 4096), why)};
  return fail(std::move(error).with("path", path));
}

std::unexpected<Error> refuse_for_errno(const std::string& path, int number) {
  switch (number) {
    case ENOENT: return refuse(ErrorCode::io_error, path, "there is no such file");
    case EACCES: return refuse(ErrorCode::io_error, path, "you may not read this file");
    case EISDIR: return refuse(ErrorCode::io_error, path, "this is a folder; name a file in it");
    default: break;
  }
  return refuse(ErrorCode::io_error, path, fmt::format("it cannot be read ({})", errno_text(number)));
}

std::string_view noun_of(mode_t mode) {
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

// Reads in steps rather than trusting the size: some files claim none, others grow meanwhile.
Result<std::string> read_all(int descriptor, const std::string& path, std::uint64_t bytes_max, std::size_t expected) {
  constexpr std::size_t kStep = 64 << 10;
  std::string bytes;
  bytes.reserve(expected);
  std::array<char, kStep> step;
  while (true) {
    const ssize_t count = ::read(descriptor, step.data(), step.size());
    if (count == 0) return bytes;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return refuse_for_errno(path, errno);
    bytes.append(step.data(), static_cast<std::size_t>(count));
    if (bytes.size() > bytes_max) break;
  }
  return refuse(ErrorCode::too_large, path, fmt::format("it has more than the {} allowed", format_bytes(bytes_max)));
}

}  // namespace

Result<std::string> read_file(const std::string& path, std::uint64_t bytes_max) {
  if (path.find('\0') != std::string::npos) return refuse(ErrorCode::io_error, path, "a path cannot hold a NUL");
  // O_NONBLOCK: opening a FIFO nobody writes to would otherwise wait for ever.
  const OwnedDescriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  struct stat status{};
  if (file.get() < 0 || ::fstat(file.get(), &status) != 0) return refuse_for_errno(path, errno);
  if (!S_ISREG(status.st_mode)) {
    return refuse(ErrorCode::io_error, path, fmt::format("this is {}; name a regular file", noun_of(status.st_mode)));
  }
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > bytes_max) {
    return refuse(ErrorCode::too_large, path,
                  fmt::format("it has {}, more than the {} allowed", format_bytes(size), format_bytes(bytes_max)));
  }
  return read_all(file.get(), path, bytes_max, size);
}

namespace {

bool write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return ::fsync(descriptor) == 0;
}

std::atomic<unsigned> replaced = 0;

}  // namespace

std::string errno_text(int number) { return std::generic_category().message(number); }

int replace_file(const std::string& path, std::string_view bytes, mode_t mode) {
  // A name that nobody else has: never a file that somebody put there.
  constexpr int kTries = 100;
  std::string beside;
  OwnedDescriptor file;
  for (int tried = 0; !file && tried < kTries && (tried == 0 || errno == EEXIST); ++tried) {
    beside = fmt::format("{}.{}.{}.new", path, ::getpid(), ++replaced);
    file = OwnedDescriptor(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, mode));
  }
  if (!file) return errno;
  if (write_all(file.get(), bytes) && ::rename(beside.c_str(), path.c_str()) == 0) return 0;
  const int why = errno;
  ::unlink(beside.c_str());
  return why;
}

Result<void> write_file(const std::string& path, std::string_view bytes) {
  const int why = replace_file(path, bytes, S_IRUSR | S_IWUSR);
  if (why == 0) return {};
  return refuse(ErrorCode::io_error, path, fmt::format("it cannot be written ({})", errno_text(why)));
}

}  // namespace petri
