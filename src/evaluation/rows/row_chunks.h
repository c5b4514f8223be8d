// Hands out rows to workers: a chunk at a time, and single rows of others' chunks when no chunk is left.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "petri/artifact.h"

namespace petri {

// Neighbouring rows. One worker opens it; then any number take rows out of it.
struct Chunk {
  // Few enough that records come soon, many enough that what is done once a chunk does not count.
  static constexpr std::uint32_t kRows = 16;

  std::size_t first = 0;
  std::uint32_t index = 0;  // among the chunks
  std::uint32_t count = 0;

  std::atomic<std::uint32_t> next{0};  // to be taken
  std::atomic<std::uint32_t> left{0};  // what is to happen before it is done: a row each, and its opening
  std::atomic<bool> open{false};
  std::atomic<bool> done{false};

  // Written while it is opened: the first row with the same candidate, and artifacts that are there already.
  std::array<std::uint32_t, kRows> first_rows{};
  std::unique_ptr<std::array<ArtifactPtr, kRows>> prepared;

  // Written when it is done.
  bool encoded = false;
  std::string record_lines;
  std::string timing_lines;

  // The next row nobody has taken; nothing when there is none.
  std::optional<std::size_t> take() {
    if (next.load(std::memory_order_relaxed) >= count) return std::nullopt;
    const std::uint32_t taken = next.fetch_add(1, std::memory_order_relaxed);
    if (taken >= count) return std::nullopt;
    return first + taken;
  }
  // True for the caller that finishes the last row that was left.
  bool bring_one() { return left.fetch_sub(1, std::memory_order_acq_rel) == 1; }
  bool repeats(std::size_t row) const { return first_rows[row - first] != row; }
};

class RowChunks {
 public:
  RowChunks(std::size_t rows, unsigned workers);

  std::size_t size() const { return size_; }
  Chunk& operator[](std::size_t index) { return chunks_[index]; }
  Chunk& of_row(std::size_t row) { return chunks_[row / Chunk::kRows]; }

  // The next chunk in order, for this worker to open; nothing when there are no more.
  Chunk* claim(unsigned worker) EXCLUDES(mutex_);
  // A chunk another worker has claimed that has rows left to take, perhaps not open yet.
  Chunk* unfinished() EXCLUDES(mutex_);

 private:
  std::size_t size_;
  std::unique_ptr<Chunk[]> chunks_;
  Mutex mutex_;
  std::size_t claimed_ GUARDED_BY(mutex_) = 0;
  std::vector<Chunk*> held_ GUARDED_BY(mutex_);  // the last one each worker claimed
};

}  // namespace petri
