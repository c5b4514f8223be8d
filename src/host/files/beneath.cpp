#include "host/files/beneath.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstring>

namespace petri {
namespace {

constexpr int kTriesMax = 16;

open_how how_to_open(int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags | O_CLOEXEC | O_NOFOLLOW);
  // A descriptor that only names its file takes no other flags.
  if ((flags & O_PATH) == 0) how.flags |= O_NONBLOCK | O_NOCTTY;
  if ((flags & O_CREAT) != 0) how.mode = 0644;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  return how;
}

}  // namespace

WasiResult<OwnedDescriptor> open_beneath(int folder, const std::string& path, int flags) {
  open_how how = how_to_open(flags);
  // EAGAIN: something was renamed while the path was walked; EINTR: a signal came.
  for (int tries = 0; tries < kTriesMax; ++tries) {
    const long descriptor = ::syscall(SYS_openat2, folder, path.c_str(), &how, sizeof(how));
    if (descriptor >= 0) return OwnedDescriptor(static_cast<int>(descriptor));
    if (errno != EAGAIN && errno != EINTR) return std::unexpected(to_wasi_errno(errno));
  }
  return std::unexpected(WasiErrno::busy);
}

WasiResult<EntryPlace> find_entry(int folder, const std::string& path) {
  const std::size_t end = path.find_last_not_of('/');
  if (end == std::string::npos) return std::unexpected(path.empty() ? WasiErrno::noent : WasiErrno::notcapable);
  const std::size_t slash = path.find_last_of('/', end);
  const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
  std::string name = path.substr(start, end + 1 - start);
  if (name == "." || name == "..") return std::unexpected(WasiErrno::inval);
  auto parent = open_beneath(folder, start == 0 ? "." : path.substr(0, start), O_PATH | O_DIRECTORY);
  if (!parent) return std::unexpected(parent.error());
  return EntryPlace{.folder = std::move(*parent), .name = std::move(name)};
}

}  // namespace petri
