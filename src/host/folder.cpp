#include "host/folder.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/escape.h"
#include "host/beneath.h"
#include "host/folder_usage.h"
#include "host/open_folder.h"

namespace petri {
namespace {

constexpr std::size_t kEntriesMax = 65'536;
constexpr mode_t kFolderMode = 0755;

constexpr std::uint64_t kOffsetMax = std::numeric_limits<std::int64_t>::max();

bool is_file_or_folder(mode_t mode) { return S_ISREG(mode) || S_ISDIR(mode); }

int access_flags(const OpenRequest& request) {
  if (request.read && request.write) return O_RDWR;
  return request.write ? O_WRONLY : O_RDONLY;
}

WasiResult<struct stat> status_of(int descriptor) {
  struct stat status{};
  if (::fstat(descriptor, &status) != 0) return std::unexpected(to_wasi_errno(errno));
  return status;
}

std::uint64_t size_of(const struct stat& status) { return static_cast<std::uint64_t>(status.st_size); }

WasiResult<std::size_t> write_pieces(int descriptor, std::span<const std::span<std::uint8_t>> pieces,
                                     std::uint64_t offset) {
  std::size_t done = 0;
  for (const std::span<std::uint8_t> piece : pieces) {
    const ssize_t count = ::pwrite(descriptor, piece.data(), piece.size(), static_cast<off_t>(offset + done));
    if (count < 0 && done == 0) return std::unexpected(to_wasi_errno(errno));
    if (count > 0) done += static_cast<std::size_t>(count);
    if (count < static_cast<ssize_t>(piece.size())) break;
  }
  return done;
}

// success, or why an existing entry of this kind is not what was asked for.
WasiErrno check_kind(mode_t mode, const OpenRequest& request) {
  if (request.create && request.exclusive) return WasiErrno::exist;
  if (S_ISLNK(mode)) return WasiErrno::loop;
  if (!is_file_or_folder(mode)) return WasiErrno::acces;
  if (request.directory && !S_ISDIR(mode)) return WasiErrno::notdir;
  if (S_ISDIR(mode) && (request.write || request.truncate || request.create)) return WasiErrno::isdir;
  return WasiErrno::success;
}

}  // namespace

Result<std::shared_ptr<Folder>> Folder::open(const std::string& path, const Limits& limits) {
  OwnedDescriptor root(::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (root) return std::make_shared<Folder>(std::move(root), limits);
  return fail(ErrorCode::validation_failed,
              fmt::format("the folder \"{}\" cannot be opened: {}", escape_text(path, 400), std::strerror(errno)));
}

WasiResult<struct stat> Folder::status(int at, const std::string& path) const {
  const auto named = open_beneath(at, path, O_PATH);
  if (!named) return std::unexpected(named.error());
  return status_of(named->get());
}

// What is there is looked at by name before it is opened: opening a device can have effects.
WasiResult<OpenedFile> Folder::open_file(int at, const std::string& path, const OpenRequest& request, LimitMet& met) {
  const MutexLock lock(mutex_);
  const auto found = status(at, path);
  if (found) return open_existing(at, path, request, found->st_mode, met);
  if (found.error() != WasiErrno::noent || !request.create) return std::unexpected(found.error());
  if (request.directory) return std::unexpected(WasiErrno::inval);
  return create(at, path, request, met);
}

WasiResult<OpenedFile> Folder::open_existing(int at, const std::string& path, const OpenRequest& request, mode_t mode,
                                             LimitMet& met) {
  if (const WasiErrno wrong = check_kind(mode, request); wrong != WasiErrno::success) return std::unexpected(wrong);
  auto descriptor = open_beneath(at, path, S_ISDIR(mode) ? O_RDONLY | O_DIRECTORY : access_flags(request));
  if (!descriptor) return std::unexpected(descriptor.error());
  auto file = adopt(std::move(*descriptor));
  if (!file || !request.truncate) return file;
  if (const WasiErrno failed = resize_to(file->descriptor.get(), 0, met); failed != WasiErrno::success) {
    forget(*file);
    return std::unexpected(failed);
  }
  return file;
}

WasiResult<OpenedFile> Folder::create(int at, const std::string& path, const OpenRequest& request, LimitMet& met) {
  ensure_counted();
  if (const WasiErrno full = account_.add_file(met); full != WasiErrno::success) return std::unexpected(full);
  auto descriptor = open_beneath(at, path, access_flags(request) | O_CREAT | O_EXCL);
  if (!descriptor) {
    account_.remove_file();
    return std::unexpected(descriptor.error());
  }
  return adopt(std::move(*descriptor));
}

WasiResult<OpenedFile> Folder::adopt(OwnedDescriptor descriptor) {
  const auto status = status_of(descriptor.get());
  if (!status) return std::unexpected(status.error());
  if (!is_file_or_folder(status->st_mode)) return std::unexpected(WasiErrno::acces);
  const bool directory = S_ISDIR(status->st_mode);
  if (!directory) ++open_[{status->st_dev, status->st_ino}];
  return OpenedFile{.descriptor = std::move(descriptor), .directory = directory};
}

void Folder::set_limits(const Limits& limits) {
  const MutexLock lock(mutex_);
  account_.set_limits(limits);
}

void Folder::close_file(OpenedFile file) {
  const MutexLock lock(mutex_);
  forget(file);
}

void Folder::forget(const OpenedFile& file) {
  const auto status = status_of(file.descriptor.get());
  if (!status || file.directory) return;
  const auto found = open_.find({status->st_dev, status->st_ino});
  if (found == open_.end() || --found->second > 0) return;
  open_.erase(found);
  if (status->st_nlink == 0) account_.remove_bytes(size_of(*status));
}

WasiResult<std::size_t> Folder::write(const OpenedFile& file, std::span<const std::span<std::uint8_t>> pieces,
                                      std::uint64_t offset, LimitMet& met) {
  std::uint64_t bytes = 0;
  for (const std::span<std::uint8_t> piece : pieces) bytes += piece.size();
  if (bytes == 0) return 0;
  if (offset > kOffsetMax || bytes > kOffsetMax - offset) return std::unexpected(WasiErrno::fbig);
  const MutexLock lock(mutex_);
  const auto status = status_of(file.descriptor.get());
  if (!status) return std::unexpected(status.error());
  ensure_counted();
  const std::uint64_t before = size_of(*status);
  const std::uint64_t after = std::max(before, offset + bytes);
  if (const WasiErrno full = account_.resize(before, after, met); full != WasiErrno::success)
    return std::unexpected(full);

  const auto written = write_pieces(file.descriptor.get(), pieces, offset);
  if (written && *written == bytes) return written;
  const auto now = status_of(file.descriptor.get());
  account_.correct(after, now ? size_of(*now) : before);
  return written;
}

WasiErrno Folder::resize(const OpenedFile& file, std::uint64_t bytes, LimitMet& met) {
  const MutexLock lock(mutex_);
  return resize_to(file.descriptor.get(), bytes, met);
}

WasiErrno Folder::resize_to(int descriptor, std::uint64_t bytes, LimitMet& met) {
  if (bytes > kOffsetMax) return WasiErrno::fbig;
  const auto status = status_of(descriptor);
  if (!status) return status.error();
  ensure_counted();
  const std::uint64_t before = size_of(*status);
  if (const WasiErrno full = account_.resize(before, bytes, met); full != WasiErrno::success) return full;
  if (::ftruncate(descriptor, static_cast<off_t>(bytes)) == 0) return WasiErrno::success;
  const int failure = errno;
  account_.correct(bytes, before);
  return to_wasi_errno(failure);
}

WasiErrno Folder::make_folder(int at, const std::string& path, LimitMet& met) {
  const MutexLock lock(mutex_);
  const auto place = find_entry(at, path);
  if (!place) return place.error();
  ensure_counted();
  if (const WasiErrno full = account_.add_file(met); full != WasiErrno::success) return full;
  if (::mkdirat(place->folder.get(), place->name.c_str(), kFolderMode) == 0) return WasiErrno::success;
  const int failure = errno;
  account_.remove_file();
  return to_wasi_errno(failure);
}

WasiErrno Folder::remove_folder(int at, const std::string& path) {
  const MutexLock lock(mutex_);
  const auto place = find_entry(at, path);
  if (!place) return place.error();
  ensure_counted();
  if (::unlinkat(place->folder.get(), place->name.c_str(), AT_REMOVEDIR) != 0) return to_wasi_errno(errno);
  account_.remove_file();
  return WasiErrno::success;
}

WasiErrno Folder::remove_file(int at, const std::string& path) {
  if (path.ends_with('/')) return WasiErrno::notdir;
  const MutexLock lock(mutex_);
  const auto place = find_entry(at, path);
  if (!place) return place.error();
  struct stat status{};
  if (::fstatat(place->folder.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return to_wasi_errno(errno);
  if (S_ISDIR(status.st_mode)) return WasiErrno::isdir;
  ensure_counted();
  if (::unlinkat(place->folder.get(), place->name.c_str(), 0) != 0) return to_wasi_errno(errno);
  count_removed(status);
  return WasiErrno::success;
}

WasiErrno Folder::rename(int from_at, const std::string& from, int to_at, const std::string& to) {
  const MutexLock lock(mutex_);
  const auto source = find_entry(from_at, from);
  if (!source) return source.error();
  const auto target = find_entry(to_at, to);
  if (!target) return target.error();
  struct stat moved{};
  struct stat replaced{};
  if (::fstatat(source->folder.get(), source->name.c_str(), &moved, AT_SYMLINK_NOFOLLOW) != 0)
    return to_wasi_errno(errno);
  const bool replaces = ::fstatat(target->folder.get(), target->name.c_str(), &replaced, AT_SYMLINK_NOFOLLOW) == 0;
  ensure_counted();
  if (::renameat(source->folder.get(), source->name.c_str(), target->folder.get(), target->name.c_str()) != 0) {
    return to_wasi_errno(errno);
  }
  const bool same = replaces && moved.st_dev == replaced.st_dev && moved.st_ino == replaced.st_ino;
  if (replaces && !same) count_removed(replaced);
  return WasiErrno::success;
}

// The bytes of a file that is still open, or has another name, are still there.
void Folder::count_removed(const struct stat& status) {
  account_.remove_file();
  const bool kept = open_.contains({status.st_dev, status.st_ino}) || status.st_nlink > 1;
  if (S_ISREG(status.st_mode) && !kept) account_.remove_bytes(size_of(status));
}

WasiResult<std::vector<FolderEntry>> Folder::list(int folder) {
  const OpenFolder reading = open_folder(folder, ".");
  if (reading == nullptr) return std::unexpected(WasiErrno::io);
  std::vector<FolderEntry> entries;
  for (;;) {
    errno = 0;
    const dirent* entry = ::readdir(reading.get());
    if (entry == nullptr && errno != 0) return std::unexpected(to_wasi_errno(errno));
    if (entry == nullptr) break;
    const std::string_view name = entry->d_name;
    if (name == "." || name == "..") continue;
    if (entries.size() >= kEntriesMax) return std::unexpected(WasiErrno::overflow);
    entries.push_back(
        {.name = std::string(name), .inode = entry->d_ino, .type = static_cast<mode_t>(DTTOIF(entry->d_type))});
  }
  std::ranges::sort(entries, {}, &FolderEntry::name);
  return entries;
}

// A folder that cannot be measured, or holds more than is allowed, counts as full.
void Folder::ensure_counted() {
  if (counted_) return;
  counted_ = true;
  const auto usage = measure_folder(root_.get(), account_.files_max());
  if (usage) account_.set(usage->files, usage->bytes);
  if (!usage) account_.set_full();
}

}  // namespace petri
