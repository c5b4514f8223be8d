#include "watcher/folder_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/files/file.h"
#include "base/text/escape.h"
#include "host/files/beneath.h"

namespace petri {
namespace {

std::string through(int descriptor) { return fmt::format("/proc/self/fd/{}", descriptor); }

OwnedDescriptor open_folder(const std::string& path) {
  return OwnedDescriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
}

// Names the kind of an entry that is no regular file; empty for one that is.
std::string_view kind_of(mode_t mode) {
  if (S_ISREG(mode)) return "";
  if (S_ISDIR(mode)) return "a folder";
  if (S_ISLNK(mode)) return "a symbolic link";
  if (S_ISFIFO(mode)) return "a FIFO";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

bool is_folder(int folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type == DT_DIR;
  struct stat status{};
  return ::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

}  // namespace

// ---- the folders ----------------------------------------------------------------------------------------------

Result<void> FolderTree::open() {
  if (auto opened = open_root(); !opened) return opened;
  scan("");
  if (!limit_) return {};
  leave();
  return fail(*std::move(limit_));
}

Result<void> FolderTree::open_root() {
  root_ = open_folder(request_.folder);
  if (root_) return {};
  const std::string why = errno == ENOENT                      ? "there is no such folder"
                          : errno == ENOTDIR || errno == ELOOP ? "this is no folder"
                          : errno == EACCES                    ? "you may not read this folder"
                                                               : errno_text(errno);
  return fail(Error{.code = ErrorCode::io_error,
                    .message = fmt::format("{}: {}", escape_text(request_.folder, kPathShownBytesMax), why),
                    .details = {{"path", request_.folder}}});
}

void FolderTree::scan(const std::string& path) {
  std::vector<std::string> waiting{path};
  while (!waiting.empty()) {
    const std::string next = std::move(waiting.back());
    waiting.pop_back();
    scan_one(next, waiting);
  }
}

// The watch comes first, so that no folder is missed that is made while this one is read.
void FolderTree::scan_one(const std::string& path, std::vector<std::string>& waiting) {
  auto folder = open_beneath(root_.get(), path.empty() ? "." : path, O_RDONLY | O_DIRECTORY);
  if (!folder) {
    if (folder.error() == WasiErrno::acces) {
      scan_problem(ErrorCode::io_error, fmt::format("you may not read the folder {}", shown(path)));
    }
    return;  // else it was removed or replaced meanwhile
  }
  if (!watch(folder->get(), path) || !request_.names.empty()) return;
  const int descriptor = folder->release();
  DIR* const stream = ::fdopendir(descriptor);
  if (stream == nullptr) {
    return scan_problem(ErrorCode::io_error, fmt::format("the folder {} cannot be read", shown(path)));
  }
  const std::unique_ptr<DIR, int (*)(DIR*)> closed(stream, &::closedir);
  while (const dirent* const entry = ::readdir(stream)) {
    const std::string name = entry->d_name;
    if (!name.starts_with('.') && is_folder(descriptor, *entry)) waiting.push_back(below(path, name));
  }
}

bool FolderTree::watch(int folder, const std::string& path) {
  if (!folders_.contains(path) && folders_.size() >= request_.folders_max) {
    scan_problem(ErrorCode::limit_exceeded,
                 fmt::format("{} has more than {} folders, and those beyond are not watched; watch fewer, or raise "
                             "folders_max",
                             shown(""), request_.folders_max));
    return false;
  }
  const auto added = table_.add(through(folder), {.owner = owner_, .path = path});
  if (added) {
    folders_[path] = *added;
    return true;
  }
  scan_problem(added.error().code,
               fmt::format("the folder {} cannot be watched: {}", shown(path), added.error().message));
  return false;
}

// The folder and all below it.
void FolderTree::drop(const std::string& path) {
  for (auto at = folders_.begin(); at != folders_.end();) {
    const bool inside = path.empty() || at->first == path || at->first.starts_with(path + "/");
    if (inside) table_.remove(owner_, at->second, at->first);
    at = inside ? folders_.erase(at) : std::next(at);
  }
}

void FolderTree::leave() {
  drop("");
  for (const auto& [path, number] : above_) table_.remove(owner_, number, path);
  above_.clear();
  root_ = OwnedDescriptor();
}

// ---- a root that is gone --------------------------------------------------------------------------------------

// Watches the nearest folder above that is there; whatever happens in it may bring the root back.
void FolderTree::await_root() {
  leave();
  std::filesystem::path above = std::filesystem::path(request_.folder).parent_path();
  while (above_.empty()) {
    if (const OwnedDescriptor folder = open_folder(above.string())) {
      const auto added = table_.add(through(folder.get()), {.owner = owner_, .path = above.string(), .above = true});
      if (added) above_[above.string()] = *added;
    }
    if (above == above.parent_path()) break;
    above = above.parent_path();
  }
  if (above_.empty()) problem(fmt::format("nothing above {} can be watched, so it is not watched again", shown("")));
}

void FolderTree::look_for_root() {
  OwnedDescriptor found = open_folder(request_.folder);
  if (!found) {
    await_root();
    found = open_folder(request_.folder);  // it may have come before the folder above was watched
  }
  if (!found) return;
  leave();
  root_ = std::move(found);
  reported_.clear();
  scan("");
  everything_ = true;
  problem(fmt::format("the folder {} is back, and watched again", shown("")));
}

// Other entries of a folder above the root do not matter.
bool FolderTree::may_bring_root(const NoticeTable::Place& place, const FileNotice& notice) const {
  const std::filesystem::path rest = std::filesystem::path(request_.folder).lexically_relative(place.path);
  return notice.name.empty() || notice.name == *rest.begin();
}

// Moving a folder above the root brings no notice.
bool FolderTree::moved_away() const {
  struct stat here{}, there{};
  if (!root_ || ::fstat(root_.get(), &here) != 0) return false;
  const bool found = ::lstat(request_.folder.c_str(), &there) == 0;
  return !found || here.st_ino != there.st_ino || here.st_dev != there.st_dev;
}

// ---- notices --------------------------------------------------------------------------------------------------

bool FolderTree::handle(const NoticeTable::Place& place, const FileNotice& notice) {
  const std::uint64_t before = noted_;
  const bool folder = notice.kind == NoticeKind::folder_came || notice.kind == NoticeKind::folder_gone;
  if (place.above) {
    if (notice.kind == NoticeKind::watch_ended) above_.erase(place.path);
    if (may_bring_root(place, notice)) look_for_root();
  } else if (notice.kind == NoticeKind::watch_ended) {
    folders_.erase(place.path);
    if (place.path.empty()) root_is_gone();
  } else if (notice.name.empty()) {
    scan(place.path);  // its permissions are others
  } else if (folder && request_.names.empty()) {
    note_folder(below(place.path, notice.name), notice);
  } else {
    note_file(below(place.path, notice.name), notice.name);
  }
  return noted_ != before;
}

void FolderTree::root_is_gone() {
  problem(fmt::format("the folder {} is gone; it is watched again once it is back", shown("")));
  leave();
  look_for_root();
}

void FolderTree::note_folder(const std::string& path, const FileNotice& notice) {
  if (notice.name.starts_with('.')) return;
  drop(path);
  if (notice.kind == NoticeKind::folder_came) scan(path);
  everything_ = true;
  ++noted_;
}

void FolderTree::note_file(const std::string& path, const std::string& name) {
  if (!is_wanted(path, name)) return;
  if (changed_.size() < kFilesMax) {
    changed_.insert(path);
  } else if (!changed_.contains(path)) {
    everything_ = true;
  }
  ++noted_;
}

bool FolderTree::is_wanted(const std::string& path, const std::string& name) const {
  if (!request_.names.empty()) return std::ranges::find(request_.names, name) != request_.names.end();
  return !name.starts_with('.') && request_.patterns.match(path);
}

// ---- what has changed -----------------------------------------------------------------------------------------

FolderChange FolderTree::take() {
  if (moved_away()) {
    root_is_gone();
  } else if (stale_ && root_) {
    drop("");
    reported_.clear();
    scan("");
  }
  stale_ = false;
  FolderChange change{.files = {}, .everything = everything_ && root_, .problems = {}};
  for (const std::string& path : changed_) {
    if (is_read(path)) change.files.push_back(path);
  }
  if (!root_) change.files.clear();
  change.problems = std::move(problems_);
  changed_.clear();
  problems_.clear();
  everything_ = false;
  return change;
}

// A file that is gone is a change too.
bool FolderTree::is_read(const std::string& path) {
  if (!root_) return false;
  const auto entry = open_beneath(root_.get(), path, O_PATH);
  struct stat status{};
  if (!entry || ::fstat(entry->get(), &status) != 0) return true;
  const std::string_view kind = kind_of(status.st_mode);
  if (kind.empty()) return true;
  problem(fmt::format("{} is {}; only regular files are read", shown(path), kind));
  return false;
}

void FolderTree::scan_problem(ErrorCode code, std::string sentence) {
  if (code == ErrorCode::limit_exceeded && !limit_) {
    limit_ = Error{.code = code, .message = sentence, .details = {{"path", request_.folder}}};
  }
  if (reported_.size() < kFilesMax && reported_.insert(sentence).second) problem(std::move(sentence));
}

void FolderTree::problem(std::string sentence) {
  ++noted_;
  if (problems_.size() < kProblemsMax) problems_.push_back(std::move(sentence));
}

std::string FolderTree::shown(const std::string& path) const {
  return escape_text(path.empty() ? request_.folder : path, kPathShownBytesMax);
}

}  // namespace petri
