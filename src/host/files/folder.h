// The one folder of the host that a guest's files live in.
#pragma once

#include <sys/stat.h>

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/files/owned_descriptor.h"
#include "base/mutex.h"
#include "host/files/beneath.h"
#include "host/files/disk_account.h"
#include "host/files/file_pieces.h"
#include "host/files/file_sync.h"
#include "host/wasi/errno.h"
#include "petri/limits.h"
#include "petri/result.h"

namespace petri {

struct OpenRequest {
  bool read = false;
  bool write = false;
  bool create = false;
  bool exclusive = false;  // with create: must not exist
  bool truncate = false;
  bool directory = false;  // must be a folder
};

struct OpenedFile {
  OwnedDescriptor descriptor;
  bool directory = false;
};

struct FolderEntry {
  std::string name;
  std::uint64_t inode = 0;
  mode_t type = 0;  // the S_IFMT part of a mode
};

// Paths are relative to a folder that was opened here, or to root(); none of them leads outside or through a link, and
// only files and folders are opened. Holds the limits on files. Any thread: the processes of a sandbox share one. An
// operation that may take long asks the Pace of its caller, without the lock; if the guest has ended meanwhile the
// answer is `again`, or how far the operation came.
class Folder {
 public:
  // validation_failed, naming the path, when there is no such folder or it cannot be opened.
  static Result<std::shared_ptr<Folder>> open(const std::string& path, const Limits& limits);
  Folder(OwnedDescriptor root, const Limits& limits) : root_(std::move(root)), account_(limits) {}

  int root() const { return root_.get(); }
  const FileSync::Count& syncs() const { return syncs_; }
  // Lowered limits hold for what is written from now on; files that are too large stay.
  void set_limits(const Limits& limits) EXCLUDES(mutex_);

  // Folders inside folders, the granted one not counted: a guest that nests more has no room for their names.
  static constexpr std::uint64_t kLevelsMax = 64;

  // Operations that may meet a limit say in `met` which one it was.
  WasiResult<OpenedFile> open_file(int at, const std::string& path, const OpenRequest& request, LimitMet& met,
                                   Pace pace = {}) EXCLUDES(mutex_);
  // Every file that was opened here is closed here: only then do the bytes of a removed one stop counting.
  void close_file(OpenedFile file) EXCLUDES(mutex_);

  // Writes the pieces one after another: all, or nothing when a limit is met. A full disk may leave less, and the
  // answer says how much.
  WasiResult<std::size_t> write(const OpenedFile& file, std::span<const std::span<std::uint8_t>> pieces,
                                std::uint64_t offset, LimitMet& met, Pace pace = {}) EXCLUDES(mutex_);
  // Grows with zeros or cuts, in steps: at the guest's end the file has an intermediate size.
  WasiErrno resize(const OpenedFile& file, std::uint64_t bytes, LimitMet& met, Pace pace = {}) EXCLUDES(mutex_);

  // Makes the file at least this long, with zeros; a longer one stays as it is.
  WasiErrno grow(const OpenedFile& file, std::uint64_t bytes, LimitMet& met, Pace pace = {}) EXCLUDES(mutex_);

  WasiErrno make_folder(int at, const std::string& path, LimitMet& met, Pace pace = {}) EXCLUDES(mutex_);
  WasiErrno remove_folder(int at, const std::string& path, Pace pace = {}) EXCLUDES(mutex_);
  WasiErrno remove_file(int at, const std::string& path, Pace pace = {}) EXCLUDES(mutex_);
  WasiErrno rename(int from_at, const std::string& from, int to_at, const std::string& to, Pace pace = {})
      EXCLUDES(mutex_);

  // One more name for a file: neither a folder nor a symbolic link. The name counts as a file, its bytes only once.
  WasiErrno link(int from_at, const std::string& from, int to_at, const std::string& to, LimitMet& met, Pace pace = {})
      EXCLUDES(mutex_);
  // Where a symbolic link says that it leads, which petri never follows; inval when it is none.
  WasiResult<std::string> read_link(int at, const std::string& path) const;
  // As for utimensat(2): when the file or folder was last read and last written.
  using FileTimes = std::array<timespec, 2>;
  WasiErrno set_times(int at, const std::string& path, const FileTimes& times) const;
  static WasiErrno set_times(int descriptor, const FileTimes& times);

  WasiResult<struct stat> status(int at, const std::string& path) const;
  // Sorted by name, without "." and ".." and names that are not UTF-8; overflow when there are more than petri lists.
  // `may_hold` is asked before this many bytes more are allocated for it; nomem when it says no.
  using MayHold = std::function<bool(std::uint64_t bytes)>;
  static WasiResult<std::vector<FolderEntry>> list(int folder, const MayHold& may_hold, Pace pace = {});

 private:
  using FileKey = std::pair<dev_t, ino_t>;

  WasiResult<OpenedFile> open_existing(int at, const std::string& path, const OpenRequest& request, mode_t mode)
      EXCLUDES(mutex_);
  WasiResult<OpenedFile> create(int at, const std::string& path, const OpenRequest& request, LimitMet& met)
      EXCLUDES(mutex_);
  WasiErrno check_room(const OpenedFile& file, std::uint64_t end, LimitMet& met) EXCLUDES(mutex_);
  WasiResult<std::size_t> write_batch(const OpenedFile& file, const FileBatch& batch, std::uint64_t offset,
                                      LimitMet& met) EXCLUDES(mutex_);
  enum class Resize : std::uint8_t { exactly, at_least };
  WasiResult<std::uint64_t> resize_towards(int descriptor, std::uint64_t bytes, Resize how, LimitMet& met)
      EXCLUDES(mutex_);
  WasiResult<OpenedFile> adopt(OwnedDescriptor descriptor) REQUIRES(mutex_);
  void forget(const OpenedFile& file) REQUIRES(mutex_);
  void count_removed(const struct stat& status) REQUIRES(mutex_);
  WasiErrno check_levels(const EntryPlace& from, const EntryPlace& to, std::uint64_t files_max, Pace pace) const;
  std::optional<WasiErrno> rename_now(const EntryPlace& from, const EntryPlace& to, std::uint64_t nesting)
      EXCLUDES(mutex_);
  // Counts the folder's files the first time something is to change in it. Other threads that come meanwhile count too,
  // each on its own guest's clock, and the first result is kept. False if the guest has ended.
  bool ensure_counted(Pace pace) EXCLUDES(mutex_);

  const OwnedDescriptor root_;
  const FileSync::Count syncs_ = std::make_shared<std::atomic<std::uint32_t>>(0);
  Mutex mutex_;
  DiskAccount account_ GUARDED_BY(mutex_);
  bool counted_ GUARDED_BY(mutex_) = false;
  std::uint64_t nesting_ GUARDED_BY(mutex_) = 0;              // how often a folder was made or moved
  std::map<FileKey, std::uint32_t> open_ GUARDED_BY(mutex_);  // how often each file is open
};

}  // namespace petri
