#include "host/files/disk_account.h"

#include <algorithm>

namespace petri {

WasiErrno DiskAccount::add_file(LimitMet& met) {
  if (files_ >= files_max_) {
    met = {.limit = "files_max", .wanted = files_ + 1, .allowed = files_max_};
    return WasiErrno::nospc;
  }
  ++files_;
  return WasiErrno::success;
}

WasiErrno DiskAccount::resize(std::uint64_t bytes_before, std::uint64_t bytes_after, LimitMet& met) {
  if (bytes_after > bytes_before) {
    if (bytes_after > file_bytes_max_) {
      met = {.limit = "file_bytes_max", .wanted = bytes_after, .allowed = file_bytes_max_};
      return WasiErrno::fbig;
    }
    const std::uint64_t growth = bytes_after - bytes_before;
    if (bytes_ > disk_bytes_max_ || growth > disk_bytes_max_ - bytes_) {
      met = {.limit = "disk_bytes_max", .wanted = bytes_ + growth, .allowed = disk_bytes_max_};
      return WasiErrno::nospc;
    }
  }
  correct(bytes_before, bytes_after);
  return WasiErrno::success;
}

void DiskAccount::correct(std::uint64_t counted, std::uint64_t is) {
  if (is > counted) bytes_ += is - counted;
  if (is < counted) remove_bytes(counted - is);
}

// Others may add to the folder behind our back: what is removed need not have been counted.
void DiskAccount::remove_file() { files_ -= std::min<std::uint64_t>(files_, 1); }
void DiskAccount::remove_bytes(std::uint64_t bytes) { bytes_ -= std::min(bytes_, bytes); }

}  // namespace petri
