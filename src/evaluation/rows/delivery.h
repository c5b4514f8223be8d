// Writes finished rows into their files, in input order, as soon as all rows before them are finished.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "evaluation/progress_board.h"
#include "evaluation/rows/candidate_rows.h"
#include "evaluation/rows/line_buffers.h"
#include "evaluation/rows/row_chunks.h"
#include "petri/evaluate.h"
#include "petri/records.h"

namespace petri {

// Each chunk is encoded by the worker that finished it, outside the lock; one worker at a time writes. Everything
// passed to the constructor is borrowed.
class Delivery {
 public:
  // Chunks this far ahead of what is written are made into lines only when it is their turn: one slow candidate then
  // holds up no more text than this.
  static constexpr std::uint32_t kChunksAhead = 1'024;
  static constexpr std::size_t kWriteBytes = std::size_t{256} << 10;
  static constexpr auto kWriteInterval = std::chrono::milliseconds(200);

  // The writers have started. `stop` is set when a file cannot be written.
  Delivery(CandidateRows& rows, RowChunks& chunks, ProgressBoard& board, const EvaluationOptions& options,
           std::atomic<std::uint32_t>& stop);

  // Called by the worker that finished the last row of a chunk: fills in its repeated rows, makes its lines, and
  // delivers what is next in order unless another worker is at it.
  void complete(Chunk& chunk, Clock::TimePoint now) EXCLUDES(mutex_);

  // Called once no worker is left: rows that are not done become cancelled, and everything is written.
  void finish() EXCLUDES(mutex_);

  // The first failure to write; the rows after it are missing from the file.
  std::optional<Error> error() EXCLUDES(mutex_);

 private:
  bool fill_repeated(Chunk& chunk);
  void encode(Chunk& chunk, std::size_t cancelled_before);
  void append_row(Chunk& chunk, std::size_t row, std::size_t cancelled_before);
  bool is_next_done() const;
  void deliver(Clock::TimePoint now) REQUIRES(mutex_);
  void take_lines(Chunk& chunk) REQUIRES(mutex_);
  void write() REQUIRES(mutex_);
  void finish_chunk(Chunk& chunk, std::size_t& cancelled_before) REQUIRES(mutex_);
  void finish_row(Chunk& chunk, std::size_t row);

  CandidateRows& rows_;
  RowChunks& chunks_;
  ProgressBoard& board_;
  const EvaluationOptions& options_;
  std::atomic<std::uint32_t>& stop_;
  std::size_t records_base_ = 0;
  decltype(&append_record) append_ = append_record;  // in the form of the file
  std::size_t timings_base_ = 0;
  std::size_t cancelled_at_first_ = 0;  // rows the evaluation before left out at its end
  LineBuffers buffers_;
  std::atomic<std::uint32_t> next_{0};  // the chunk to be delivered next
  Mutex mutex_;
  std::string record_lines_ GUARDED_BY(mutex_);
  std::string timing_lines_ GUARDED_BY(mutex_);
  Clock::TimePoint written_ GUARDED_BY(mutex_){};
  std::optional<Error> error_ GUARDED_BY(mutex_);
};

}  // namespace petri
