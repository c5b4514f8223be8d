// Names and times of the files in a folder.
#include <fcntl.h>
#include <limits.h>

#include <cerrno>

#include "host/files/folder.h"

namespace petri {
namespace {

// success, or why an entry of this kind gets no second name and no times.
WasiErrno check_plain(mode_t mode) {
  if (S_ISLNK(mode)) return WasiErrno::loop;
  return S_ISREG(mode) || S_ISDIR(mode) ? WasiErrno::success : WasiErrno::acces;
}

}  // namespace

WasiErrno Folder::link(int from_at, const std::string& from, int to_at, const std::string& to, LimitMet& met,
                       Pace pace) {
  if (from.ends_with('/') || to.ends_with('/')) return WasiErrno::notdir;
  const auto source = find_entry(from_at, from);
  if (!source) return source.error();
  const auto target = find_entry(to_at, to);
  if (!target) return target.error();
  if (!ensure_counted(pace)) return WasiErrno::again;
  const MutexLock lock(mutex_);
  struct stat linked{};
  if (::fstatat(source->folder.get(), source->name.c_str(), &linked, AT_SYMLINK_NOFOLLOW) != 0)
    return to_wasi_errno(errno);
  if (S_ISDIR(linked.st_mode)) return WasiErrno::perm;
  if (const WasiErrno wrong = check_plain(linked.st_mode); wrong != WasiErrno::success) return wrong;
  if (const WasiErrno full = account_.add_file(met); full != WasiErrno::success) return full;
  if (::linkat(source->folder.get(), source->name.c_str(), target->folder.get(), target->name.c_str(), 0) == 0)
    return WasiErrno::success;
  const int failure = errno;
  account_.remove_file();
  return to_wasi_errno(failure);
}

WasiResult<std::string> Folder::read_link(int at, const std::string& path) const {
  const auto named = open_beneath(at, path, O_PATH);
  if (!named) return std::unexpected(named.error());
  std::string text(PATH_MAX, '\0');
  const ssize_t bytes = ::readlinkat(named->get(), "", text.data(), text.size());
  // The kernel says that there is no link of an empty name where the entry is none.
  if (bytes < 0) return std::unexpected(errno == ENOENT ? WasiErrno::inval : to_wasi_errno(errno));
  text.resize(static_cast<std::size_t>(bytes));
  return text;
}

WasiErrno Folder::set_times(int at, const std::string& path, const FileTimes& times) const {
  const auto named = open_beneath(at, path, O_PATH);
  if (!named) return named.error();
  struct stat status{};
  if (::fstat(named->get(), &status) != 0) return to_wasi_errno(errno);
  if (const WasiErrno wrong = check_plain(status.st_mode); wrong != WasiErrno::success) return wrong;
  return set_times(named->get(), times);
}

// By the empty path, because a descriptor that only names its file takes no times otherwise.
WasiErrno Folder::set_times(int descriptor, const FileTimes& times) {
  if (::utimensat(descriptor, "", times.data(), AT_EMPTY_PATH) == 0) return WasiErrno::success;
  return to_wasi_errno(errno);
}

}  // namespace petri
