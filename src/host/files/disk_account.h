// How much a guest keeps in its folder, and whether more is allowed.
#pragma once

#include <cstdint>

#include "host/guest/limit_met.h"
#include "host/wasi/errno.h"
#include "petri/limits.h"

namespace petri {

// The one place where file_bytes_max, files_max and disk_bytes_max are held. Counts what the folder holds, no matter
// who put it there; folders inside it count as files.
class DiskAccount {
 public:
  explicit DiskAccount(const Limits& limits) { set_limits(limits); }
  void set_limits(const Limits& limits) {
    file_bytes_max_ = limits.file_bytes_max;
    files_max_ = limits.files_max;
    disk_bytes_max_ = limits.disk_bytes_max;
  }

  std::uint64_t files_max() const { return files_max_; }

  // Sets what was found when the folder was first looked through.
  void set(std::uint64_t files, std::uint64_t bytes) {
    files_ = files;
    bytes_ = bytes;
  }
  void set_full() { set(files_max_, disk_bytes_max_); }

  // success, nospc when there are too many files; the file is then counted. `met` receives which limit refused.
  WasiErrno add_file(LimitMet& met);
  // success, fbig when the file would be too long, nospc when all files would; the new size is then counted.
  WasiErrno resize(std::uint64_t bytes_before, std::uint64_t bytes_after, LimitMet& met);
  // Corrects a count: what was counted was not written, or only in part.
  void correct(std::uint64_t counted, std::uint64_t is);
  void remove_file();
  void remove_bytes(std::uint64_t bytes);

 private:
  std::uint64_t file_bytes_max_ = 0;
  std::uint64_t files_max_ = 0;
  std::uint64_t disk_bytes_max_ = 0;
  std::uint64_t files_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace petri
