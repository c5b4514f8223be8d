#include "host/files/folder.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/heap_bytes.h"
#include "base/text/escape.h"
#include "base/text/utf8.h"
#include "host/files/beneath.h"
#include "host/files/file_sync.h"
#include "host/files/folder_usage.h"
#include "host/files/open_folder.h"

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

// success, or why an existing entry of this kind is not what was asked for.
WasiErrno check_kind(mode_t mode, const OpenRequest& request) {
  if (request.create && request.exclusive) return WasiErrno::exist;
  if (S_ISLNK(mode)) return WasiErrno::loop;
  if (!is_file_or_folder(mode)) return WasiErrno::acces;
  if (request.directory && !S_ISDIR(mode)) return WasiErrno::notdir;
  if (S_ISDIR(mode) && (request.write || request.truncate || request.create)) return WasiErrno::isdir;
  return WasiErrno::success;
}

// For one more entry, and the two that every folder has. In small steps: what is allocated is on a guest's account.
bool make_room(std::vector<FolderEntry>& entries, std::size_t name_bytes, const Folder::MayHold& may_hold) {
  const std::size_t long_name = name_bytes > std::string().capacity() ? heap_block_bytes(name_bytes + 1) : 0;
  if (long_name > 0 && !may_hold(long_name)) return false;
  if (entries.size() + 2 < entries.capacity()) return true;
  const std::size_t more = 64 + entries.capacity() / 4;
  if (!may_hold(more * sizeof(FolderEntry))) return false;
  entries.reserve(entries.capacity() + more);
  return true;
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

// An existing file is looked at by name before it is opened: opening a device can have effects.
WasiResult<OpenedFile> Folder::open_file(int at, const std::string& path, const OpenRequest& request, LimitMet& met,
                                         Pace pace) {
  auto found = status(at, path);
  if (!found && (found.error() != WasiErrno::noent || !request.create)) return std::unexpected(found.error());
  if (!found && request.directory) return std::unexpected(WasiErrno::inval);
  if ((!found || request.truncate) && !ensure_counted(pace)) return std::unexpected(WasiErrno::again);
  if (!found) {
    auto created = create(at, path, request, met);
    if (created || created.error() != WasiErrno::exist || request.exclusive) return created;
    found = status(at, path);  // another process was first
    if (!found) return std::unexpected(found.error());
  }
  auto file = open_existing(at, path, request, found->st_mode);
  if (!file || !request.truncate) return file;
  if (const WasiErrno failed = resize(*file, 0, met, pace); failed != WasiErrno::success) {
    close_file(std::move(*file));
    return std::unexpected(failed);
  }
  return file;
}

WasiResult<OpenedFile> Folder::open_existing(int at, const std::string& path, const OpenRequest& request, mode_t mode) {
  if (const WasiErrno wrong = check_kind(mode, request); wrong != WasiErrno::success) return std::unexpected(wrong);
  const MutexLock lock(mutex_);  // nobody removes it before it counts as open
  auto descriptor = open_beneath(at, path, S_ISDIR(mode) ? O_RDONLY | O_DIRECTORY : access_flags(request));
  if (!descriptor) return std::unexpected(descriptor.error());
  return adopt(std::move(*descriptor));
}

WasiResult<OpenedFile> Folder::create(int at, const std::string& path, const OpenRequest& request, LimitMet& met) {
  const MutexLock lock(mutex_);
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
  const auto status = status_of(file.descriptor.get());
  {
    const MutexLock lock(mutex_);
    forget(file);
  }
  if (status && status->st_nlink == 0) close_elsewhere(std::move(file.descriptor), size_of(*status));
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
                                      std::uint64_t offset, LimitMet& met, Pace pace) {
  std::uint64_t bytes = 0;
  for (const std::span<std::uint8_t> piece : pieces) bytes += piece.size();  // bounded: by find_buffers()
  if (bytes == 0) return 0;
  if (offset > kOffsetMax || bytes > kOffsetMax - offset) return std::unexpected(WasiErrno::fbig);
  if (!ensure_counted(pace)) return std::unexpected(WasiErrno::again);
  if (const WasiErrno full = check_room(file, offset + bytes, met); full != WasiErrno::success)
    return std::unexpected(full);
  return move_in_batches(pieces, bytes, pace,
                         [&](const FileBatch& batch) { return write_batch(file, batch, offset + batch.done, met); });
}

// Nothing is written in part because of a limit: whether all fits is asked before the first batch.
WasiErrno Folder::check_room(const OpenedFile& file, std::uint64_t end, LimitMet& met) {
  const MutexLock lock(mutex_);
  const auto status = status_of(file.descriptor.get());
  if (!status) return status.error();
  const std::uint64_t before = size_of(*status), after = std::max(before, end);
  const WasiErrno full = account_.resize(before, after, met);
  if (full == WasiErrno::success) account_.correct(after, before);
  return full;
}

WasiResult<std::size_t> Folder::write_batch(const OpenedFile& file, const FileBatch& batch, std::uint64_t offset,
                                            LimitMet& met) {
  const MutexLock lock(mutex_);
  const int descriptor = file.descriptor.get();
  const auto status = status_of(descriptor);
  if (!status) return std::unexpected(status.error());
  const std::uint64_t before = size_of(*status), after = std::max(before, offset + batch.bytes);
  if (const WasiErrno full = account_.resize(before, after, met); full != WasiErrno::success)
    return std::unexpected(full);
  const ssize_t written =
      ::pwritev(descriptor, batch.buffers.data(), static_cast<int>(batch.buffers.size()), static_cast<off_t>(offset));
  const int failure = errno;
  if (written == static_cast<ssize_t>(batch.bytes)) return static_cast<std::size_t>(written);
  const auto now = status_of(descriptor);
  account_.correct(after, now ? size_of(*now) : before);
  if (written < 0) return std::unexpected(to_wasi_errno(failure));
  return static_cast<std::size_t>(written);
}

// A file gets shorter in steps: giving back what it had may take as long as writing it did.
WasiErrno Folder::resize(const OpenedFile& file, std::uint64_t bytes, LimitMet& met, Pace pace) {
  if (bytes > kOffsetMax) return WasiErrno::fbig;
  if (!ensure_counted(pace)) return WasiErrno::again;
  for (;;) {
    const auto size = resize_towards(file.descriptor.get(), bytes, Resize::exactly, met);
    if (!size) return size.error();
    if (*size == bytes) return WasiErrno::success;
    if (!pace.step(Pace::kBytesMax)) return WasiErrno::again;
  }
}

WasiErrno Folder::grow(const OpenedFile& file, std::uint64_t bytes, LimitMet& met, Pace pace) {
  if (bytes > kOffsetMax) return WasiErrno::fbig;
  if (!ensure_counted(pace)) return WasiErrno::again;
  const auto size = resize_towards(file.descriptor.get(), bytes, Resize::at_least, met);
  return size ? WasiErrno::success : size.error();
}

// One step: how long the file is then.
WasiResult<std::uint64_t> Folder::resize_towards(int descriptor, std::uint64_t bytes, Resize how, LimitMet& met) {
  constexpr std::uint64_t kStep = std::uint64_t{4} << 20;
  const MutexLock lock(mutex_);
  const auto status = status_of(descriptor);
  if (!status) return std::unexpected(status.error());
  const std::uint64_t before = size_of(*status);
  if (how == Resize::at_least && before >= bytes) return before;
  const std::uint64_t after = before > bytes && before - bytes > kStep ? before - kStep : bytes;
  if (const WasiErrno full = account_.resize(before, after, met); full != WasiErrno::success)
    return std::unexpected(full);
  if (::ftruncate(descriptor, static_cast<off_t>(after)) == 0) return after;
  const int failure = errno;
  account_.correct(after, before);
  return std::unexpected(to_wasi_errno(failure));
}

WasiErrno Folder::make_folder(int at, const std::string& path, LimitMet& met, Pace pace) {
  const auto place = find_entry(at, path);
  if (!place) return place.error();
  if (!ensure_counted(pace)) return WasiErrno::again;
  const MutexLock lock(mutex_);
  if (!levels_below(root_.get(), place->folder.get(), kLevelsMax - 1)) return WasiErrno::nametoolong;
  if (const WasiErrno full = account_.add_file(met); full != WasiErrno::success) return full;
  if (::mkdirat(place->folder.get(), place->name.c_str(), kFolderMode) == 0) {
    ++nesting_;
    return WasiErrno::success;
  }
  const int failure = errno;
  account_.remove_file();
  return to_wasi_errno(failure);
}

WasiErrno Folder::remove_folder(int at, const std::string& path, Pace pace) {
  const auto place = find_entry(at, path);
  if (!place) return place.error();
  if (!ensure_counted(pace)) return WasiErrno::again;
  const MutexLock lock(mutex_);
  if (::unlinkat(place->folder.get(), place->name.c_str(), AT_REMOVEDIR) != 0) return to_wasi_errno(errno);
  account_.remove_file();
  return WasiErrno::success;
}

WasiErrno Folder::remove_file(int at, const std::string& path, Pace pace) {
  if (path.ends_with('/')) return WasiErrno::notdir;
  const auto place = find_entry(at, path);
  if (!place) return place.error();
  if (!ensure_counted(pace)) return WasiErrno::again;
  auto held = open_beneath(place->folder.get(), place->name, O_PATH);  // none of a link
  const MutexLock lock(mutex_);
  struct stat status{};
  if (::fstatat(place->folder.get(), place->name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    return to_wasi_errno(errno);
  if (S_ISDIR(status.st_mode)) return WasiErrno::isdir;
  if (::unlinkat(place->folder.get(), place->name.c_str(), 0) != 0) return to_wasi_errno(errno);
  count_removed(status);
  if (held) close_elsewhere(std::move(*held), size_of(status));
  return WasiErrno::success;
}

// The check that folders still nest within the bound takes a while, so it runs without the lock; it is repeated if
// folders were created or moved before the rename.
WasiErrno Folder::rename(int from_at, const std::string& from, int to_at, const std::string& to, Pace pace) {
  const auto source = find_entry(from_at, from);
  if (!source) return source.error();
  const auto target = find_entry(to_at, to);
  if (!target) return target.error();
  if (!ensure_counted(pace)) return WasiErrno::again;
  for (;;) {
    std::uint64_t nesting = 0, files_max = 0;
    {
      const MutexLock lock(mutex_);
      nesting = nesting_;
      files_max = account_.files_max();
    }
    const WasiErrno refused = check_levels(*source, *target, files_max, pace);
    if (refused != WasiErrno::success) return refused;
    if (const auto done = rename_now(*source, *target, nesting)) return *done;
    if (!pace.step(Pace::kBytesMax)) return WasiErrno::again;
  }
}

// A folder takes those inside it along. Where it does not go down, nothing below it does.
WasiErrno Folder::check_levels(const EntryPlace& from, const EntryPlace& to, std::uint64_t files_max, Pace pace) const {
  struct stat moved{};
  if (::fstatat(from.folder.get(), from.name.c_str(), &moved, AT_SYMLINK_NOFOLLOW) != 0) return to_wasi_errno(errno);
  if (!S_ISDIR(moved.st_mode)) return WasiErrno::success;
  const auto before = levels_below(root_.get(), from.folder.get(), kLevelsMax);
  const auto after = levels_below(root_.get(), to.folder.get(), kLevelsMax - 1);
  if (!after) return WasiErrno::nametoolong;
  if (before && *after <= *before) return WasiErrno::success;
  const auto folder = open_beneath(from.folder.get(), from.name, O_PATH | O_DIRECTORY);
  if (!folder) return folder.error();
  const FolderMeasure measure = measure_folder(folder->get(), files_max, pace);
  if (measure.given_up) return WasiErrno::again;
  const bool fits = measure.usage && *after + 1 + measure.usage->levels <= kLevelsMax;
  return fits ? WasiErrno::success : WasiErrno::nametoolong;
}

// Nothing when folders nest otherwise than when check_levels() was asked.
std::optional<WasiErrno> Folder::rename_now(const EntryPlace& from, const EntryPlace& to, std::uint64_t nesting) {
  auto held = open_beneath(to.folder.get(), to.name, O_PATH);  // what is replaced, if anything is
  const MutexLock lock(mutex_);
  if (nesting != nesting_) return std::nullopt;
  struct stat moved{};
  struct stat replaced{};
  if (::fstatat(from.folder.get(), from.name.c_str(), &moved, AT_SYMLINK_NOFOLLOW) != 0) return to_wasi_errno(errno);
  const bool replaces = ::fstatat(to.folder.get(), to.name.c_str(), &replaced, AT_SYMLINK_NOFOLLOW) == 0;
  if (::renameat(from.folder.get(), from.name.c_str(), to.folder.get(), to.name.c_str()) != 0)
    return to_wasi_errno(errno);
  if (S_ISDIR(moved.st_mode)) ++nesting_;
  const bool same = replaces && moved.st_dev == replaced.st_dev && moved.st_ino == replaced.st_ino;
  if (replaces && !same) count_removed(replaced);
  if (replaces && held) close_elsewhere(std::move(*held), size_of(replaced));
  return WasiErrno::success;
}

// The bytes of a file that is still open, or has another name, are still there.
void Folder::count_removed(const struct stat& status) {
  account_.remove_file();
  const bool kept = open_.contains({status.st_dev, status.st_ino}) || status.st_nlink > 1;
  if (S_ISREG(status.st_mode) && !kept) account_.remove_bytes(size_of(status));
}

// Sorted as a heap, which takes a step for each entry: to sort all of them at once would take too long for one.
WasiResult<std::vector<FolderEntry>> Folder::list(int folder, const MayHold& may_hold, Pace pace) {
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
    if (!pace.step(name.size())) return std::unexpected(WasiErrno::again);
    if (!is_utf8(name)) continue;
    if (entries.size() >= kEntriesMax) return std::unexpected(WasiErrno::overflow);
    if (!make_room(entries, name.size(), may_hold)) return std::unexpected(WasiErrno::nomem);
    entries.push_back(
        {.name = std::string(name), .inode = entry->d_ino, .type = static_cast<mode_t>(DTTOIF(entry->d_type))});
    std::ranges::push_heap(entries, {}, &FolderEntry::name);
  }
  for (auto end = entries.end(); end != entries.begin(); --end) {
    std::ranges::pop_heap(entries.begin(), end, {}, &FolderEntry::name);
    if (!pace.step()) return std::unexpected(WasiErrno::again);
  }
  return entries;
}

// A folder that cannot be measured, or holds more than is allowed, counts as full.
bool Folder::ensure_counted(Pace pace) {
  std::uint64_t files_max = 0;
  {
    const MutexLock lock(mutex_);
    if (counted_) return true;
    files_max = account_.files_max();
  }
  const FolderMeasure measure = measure_folder(root_.get(), files_max, pace);
  if (measure.given_up) return false;
  const MutexLock lock(mutex_);
  if (std::exchange(counted_, true)) return true;
  if (measure.usage) account_.set(measure.usage->files, measure.usage->bytes);
  if (!measure.usage) account_.set_full();
  return true;
}

}  // namespace petri
