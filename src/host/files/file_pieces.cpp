#include "host/files/file_pieces.h"

#include <algorithm>
#include <array>

namespace petri {
namespace {

constexpr std::size_t kBatchBuffers = 128;
constexpr std::uint64_t kBatchBytes = 4 * Pace::kBytesMax;

// Where a list of buffers has come to.
class Cursor {
 public:
  Cursor(FilePieces pieces, std::uint64_t bytes_max) : pieces_(pieces), left_(bytes_max) {}

  // The next buffers; none at the end. Those of the last batch are gone.
  FileBatch next() {
    std::size_t count = 0;
    FileBatch batch{.done = done_};
    while (count < buffers_.size() && batch.bytes < kBatchBytes && left_ > 0 &&
           index_ < pieces_.size()) {  // bounded: 128
      const iovec buffer = take(kBatchBytes - batch.bytes);
      if (buffer.iov_len > 0) buffers_[count++] = buffer;
      batch.bytes += buffer.iov_len;
    }
    done_ += batch.bytes;
    batch.buffers = std::span(buffers_).first(count);
    return batch;
  }

 private:
  // As much of the present buffer as may be, and goes to the next when that is all of it.
  iovec take(std::uint64_t bytes_max) {
    const std::span<std::uint8_t> rest = pieces_[index_].subspan(inside_);
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>({rest.size(), bytes_max, left_}));
    left_ -= taken;
    inside_ += taken;
    if (inside_ == pieces_[index_].size()) {
      ++index_;
      inside_ = 0;
    }
    return {.iov_base = rest.data(), .iov_len = taken};
  }

  FilePieces pieces_;
  std::uint64_t left_;
  std::uint64_t done_ = 0;
  std::size_t index_ = 0;
  std::size_t inside_ = 0;
  std::array<iovec, kBatchBuffers> buffers_;
};

}  // namespace

WasiResult<std::size_t> move_in_batches(FilePieces pieces, std::uint64_t bytes_max, Pace pace, const MoveBatch& move) {
  Cursor cursor(pieces, bytes_max);
  std::size_t done = 0;
  for (FileBatch batch = cursor.next(); batch.bytes > 0; batch = cursor.next()) {
    const auto moved = move(batch);
    if (!moved && done == 0) return moved;
    done += moved.value_or(0);
    if (!moved || *moved < batch.bytes || !pace.step(batch.bytes)) break;
  }
  return done;
}

}  // namespace petri
