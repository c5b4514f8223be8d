// Syncs a file to its disk on another thread, so that a guest that waits for it can be ended.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/files/owned_descriptor.h"
#include "host/wasi/errno.h"

namespace petri {

// Shared by the thread that waits and the one that syncs, which continues to the end even if nobody waits. Any thread.
class FileSync {
 public:
  enum class How : std::uint8_t { all, data };

  // How many of one folder wait or are being done, also those that nobody waits for any more.
  using Count = std::shared_ptr<std::atomic<std::uint32_t>>;
  static constexpr std::uint32_t kOfOneFolderMax = 2;

  // Takes a descriptor of its own. `again` when too many wait already, of all or of this folder: to be tried later.
  static WasiResult<std::shared_ptr<const FileSync>> start(int descriptor, How how, const Count& count);

  FileSync(OwnedDescriptor descriptor, How how, Count count)
      : descriptor_(std::move(descriptor)), how_(how), count_(std::move(count)) {}
  ~FileSync() { count_->fetch_sub(1); }
  FileSync(const FileSync&) = delete;
  FileSync& operator=(const FileSync&) = delete;
  const std::atomic<bool>& done() const { return done_; }
  // success or what fsync() said; to be read once done() is true.
  WasiErrno result() const { return result_; }

 private:
  void run();

  const OwnedDescriptor descriptor_;
  const How how_;
  const Count count_;
  WasiErrno result_ = WasiErrno::success;
  std::atomic<bool> done_{false};
};

// Closes a file elsewhere, too: this may be the last descriptor of a large file, and freeing its space on disk can take
// long.
void close_elsewhere(OwnedDescriptor descriptor, std::uint64_t bytes);

}  // namespace petri
