// Many buffers read from a file or written to it, in as few calls of the kernel as look at the clock in time.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <span>

#include "host/guest/pace.h"
#include "host/wasi/errno.h"

namespace petri {

using FilePieces = std::span<const std::span<std::uint8_t>>;

// The work of one kernel call: these buffers, this many bytes together, after those that were moved before.
struct FileBatch {
  std::span<const iovec> buffers;
  std::uint64_t bytes = 0;
  std::uint64_t done = 0;
};
using MoveBatch = std::function<WasiResult<std::size_t>(const FileBatch& batch)>;

// Moves batch after batch, at most `bytes_max` bytes. How many were moved: fewer than there are where `move` moved
// fewer or failed, or when the guest has ended. An error is the first batch's.
WasiResult<std::size_t> move_in_batches(FilePieces pieces, std::uint64_t bytes_max, Pace pace, const MoveBatch& move);

}  // namespace petri
