#include "host/disk_account.h"

#include <algorithm>

namespace petri {

WasiErrno DiskAccount::add_file() {
  if (files_ >= files_max_) return WasiErrno::nospc;
  ++files_;
  return WasiErrno::success;
}

WasiErrno DiskAccount::resize(std::uint64_t bytes_before, std::uint64_t bytes_after) {
  if (bytes_after > bytes_before) {
    if (bytes_after > file_bytes_max_) return WasiErrno::fbig;
    const std::uint64_t growth = bytes_after - bytes_before;
    if (bytes_ > disk_bytes_max_ || growth > disk_bytes_max_ - bytes_) return WasiErrno::nospc;
    bytes_ += growth;
    return WasiErrno::success;
  }
  remove_bytes(bytes_before - bytes_after);
  return WasiErrno::success;
}

// Others may add to the folder behind our back: what is removed need not have been counted.
void DiskAccount::remove_file() { files_ -= std::min<std::uint64_t>(files_, 1); }
void DiskAccount::remove_bytes(std::uint64_t bytes) { bytes_ -= std::min(bytes_, bytes); }

}  // namespace petri
