#include "host/file_sync.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/executor.h"

namespace petri {
namespace {

// Few: disks do not get faster by being asked more often. Never destroyed: a disk that does not answer must not hold up
// the end of the program. nullptr when the machine gives no threads.
Executor* sync_threads() {
  static Executor* const threads = [] {
    auto made =
        Executor::create({.workers = 2, .queue_max = 64, .stack_bytes = std::size_t{256} << 10, .name = "petri-sync"});
    return made ? made->release() : nullptr;
  }();
  return threads;
}

}  // namespace

WasiResult<std::shared_ptr<const FileSync>> FileSync::start(int descriptor, How how, const Count& count) {
  Executor* const threads = sync_threads();
  if (threads == nullptr) return std::unexpected(WasiErrno::io);
  if (count->fetch_add(1) >= kOfOneFolderMax) {
    count->fetch_sub(1);
    return std::unexpected(WasiErrno::again);
  }
  auto sync = std::make_shared<FileSync>(OwnedDescriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 3)), how, count);
  if (!sync->descriptor_) return std::unexpected(to_wasi_errno(errno));
  if (!threads->submit([sync] { sync->run(); })) return std::unexpected(WasiErrno::again);
  return sync;
}

void close_elsewhere(OwnedDescriptor descriptor, std::uint64_t bytes) {
  constexpr std::uint64_t kSoonDone = std::uint64_t{4} << 20;
  if (bytes <= kSoonDone || sync_threads() == nullptr) return;
  // What is refused is closed here after all.
  auto shared = std::make_shared<OwnedDescriptor>(std::move(descriptor));
  static_cast<void>(sync_threads()->submit([held = std::move(shared)] {}));
}

void FileSync::run() {
  const int end = how_ == How::all ? ::fsync(descriptor_.get()) : ::fdatasync(descriptor_.get());
  if (end != 0) result_ = to_wasi_errno(errno);
  done_.store(true);
}

}  // namespace petri
