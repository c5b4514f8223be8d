#include "evaluation/rows/row_chunks.h"

#include <algorithm>

namespace petri {

RowChunks::RowChunks(std::size_t rows, unsigned workers)
    : size_((rows + Chunk::kRows - 1) / Chunk::kRows),
      chunks_(std::make_unique<Chunk[]>(size_)),
      held_(workers, nullptr) {
  for (std::size_t index = 0; index < size_; ++index) {
    Chunk& chunk = chunks_[index];
    chunk.first = index * Chunk::kRows;
    chunk.index = static_cast<std::uint32_t>(index);
    chunk.count = static_cast<std::uint32_t>(std::min<std::size_t>(Chunk::kRows, rows - chunk.first));
    chunk.left.store(chunk.count + 1, std::memory_order_relaxed);
  }
}

Chunk* RowChunks::claim(unsigned worker) {
  const MutexLock lock(mutex_);
  if (claimed_ == size_) return nullptr;
  return held_[worker] = &chunks_[claimed_++];
}

Chunk* RowChunks::unfinished() {
  const MutexLock lock(mutex_);
  for (Chunk* const chunk : held_) {
    if (chunk != nullptr && chunk->next.load(std::memory_order_relaxed) < chunk->count) return chunk;
  }
  return nullptr;
}

}  // namespace petri
