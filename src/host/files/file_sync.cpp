#include "host/files/file_sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/threads/thread_pool.h"

namespace petri {
namespace {

// Few: disks do not get faster by being asked more often. They belong to the process and are never ended: a disk that
// does not answer must hold up neither the end of the program nor that of a runtime.
ThreadPool& sync_threads() {
  static auto* const threads =
      new ThreadPool({.name = "petri-sync", .stack_bytes = std::size_t{256} << 10, .threads_max = 2, .queue_max = 64});
  return *threads;
}

}  // namespace

WasiResult<std::shared_ptr<const FileSync>> FileSync::start(int descriptor, How how, const Count& count) {
  if (count->fetch_add(1) >= kOfOneFolderMax) {
    count->fetch_sub(1);
    return std::unexpected(WasiErrno::again);
  }
  auto sync = std::make_shared<FileSync>(OwnedDescriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3)), how, count);
  if (!sync->descriptor_) return std::unexpected(to_wasi_errno(errno));
  if (!sync_threads().submit([sync] { sync->run(); })) return std::unexpected(WasiErrno::again);
  return sync;
}

void close_elsewhere(OwnedDescriptor descriptor, std::uint64_t bytes) {
  constexpr std::uint64_t kSoonDone = std::uint64_t{4} << 20;
  if (bytes <= kSoonDone) return;
  // A refused file is closed here after all.
  auto shared = std::make_shared<OwnedDescriptor>(std::move(descriptor));
  static_cast<void>(sync_threads().submit([held = std::move(shared)] {}));
}

void FileSync::run() {
  const int end = how_ == How::all ? ::fsync(descriptor_.get()) : ::fdatasync(descriptor_.get());
  if (end != 0) result_ = to_wasi_errno(errno);
  done_.store(true);
}

}  // namespace petri
