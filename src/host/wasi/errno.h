// The error numbers of WASI preview 1 that petri answers with.
#pragma once

#include <cstdint>
#include <expected>
#include <string_view>

namespace petri {

enum class WasiErrno : std::uint16_t {
  success = 0,
  acces = 2,
  again = 6,
  badf = 8,
  busy = 10,
  exist = 20,
  fault = 21,
  fbig = 22,
  ilseq = 25,
  inval = 28,
  io = 29,
  isdir = 31,
  loop = 32,
  mfile = 33,
  nametoolong = 37,
  nfile = 41,
  noent = 44,
  nomem = 48,
  nospc = 51,
  notdir = 54,
  notempty = 55,
  notsock = 57,
  notsup = 58,
  nxio = 60,
  overflow = 61,
  perm = 63,
  rofs = 69,
  spipe = 70,
  txtbsy = 74,
  xdev = 75,
  notcapable = 76,
};

// The guest's errno for a failed system call. A path that would leave the granted folder is `notcapable`.
WasiErrno to_wasi_errno(int host_errno);

template <typename T>
using WasiResult = std::expected<T, WasiErrno>;

}  // namespace petri
