// A file being written to its disk by another thread, so that whoever waits for it can leave.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "host/owned_descriptor.h"
#include "host/wasi_errno.h"

namespace petri {

// Shared by the one who waits and the thread that does it: it continues to its end without the former. Any thread.
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
  // Once it is done.
  WasiErrno result() const { return result_; }

 private:
  void run();

  const OwnedDescriptor descriptor_;
  const How how_;
  const Count count_;
  WasiErrno result_ = WasiErrno::success;
  std::atomic<bool> done_{false};
};

// The same for a file whose last descriptor this may be, if it is large: to give back what it has on the disk takes as
// long as it takes.
void close_elsewhere(OwnedDescriptor descriptor, std::uint64_t bytes);

}  // namespace petri
