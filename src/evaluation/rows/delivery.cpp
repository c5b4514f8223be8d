#include "evaluation/rows/delivery.h"

#include <utility>

#include "evaluation/candidate/candidate_evaluator.h"
#include "evaluation/records/packed.h"
#include "evaluation/records/writer.h"

namespace petri {
namespace {

bool is_done(const Record& record) { return record.outcome.has_value() || record.error.has_value(); }
bool is_cancelled(const Record& record) { return record.error == ErrorCode::cancelled; }

}  // namespace

Delivery::Delivery(CandidateRows& rows, RowChunks& chunks, ProgressBoard& board, const EvaluationOptions& options,
                   std::atomic<std::uint32_t>& stop)
    : rows_(rows), chunks_(chunks), board_(board), options_(options), stop_(stop) {
  if (options.records != nullptr) {
    records_base_ = RecordsWriterAccess::row_base(*options.records);
    append_ = append_record_in(RecordsWriterAccess::form(*options.records));
    cancelled_at_first_ = RecordsWriterAccess::cancelled_before(*options.records);
  }
  if (options.timings == nullptr) return;
  // Rows have the numbers that they have in the records, whose file may be one that is continued.
  timings_base_ = options.records != nullptr ? records_base_ : RecordsWriterAccess::row_base(*options.timings);
}

void Delivery::complete(Chunk& chunk, Clock::TimePoint now) {
  const bool near = chunk.index < next_.load(std::memory_order_relaxed) + kChunksAhead;
  if (fill_repeated(chunk) && near) encode(chunk, 0);
  chunk.done.store(true, std::memory_order_release);
  while (is_next_done()) {
    if (!mutex_.try_lock()) return;
    deliver(now);
    mutex_.unlock();
  }
}

bool Delivery::is_next_done() const {
  const std::uint32_t next = next_.load(std::memory_order_acquire);
  return next < chunks_.size() && chunks_[next].done.load(std::memory_order_acquire);
}

// False when a row repeats one that is not done yet.
bool Delivery::fill_repeated(Chunk& chunk) {
  bool all = true;
  for (std::size_t row = chunk.first; row < chunk.first + chunk.count; ++row) {
    if (!chunk.repeats(row) || is_done(rows_.record(row))) continue;
    const Chunk& first = chunks_.of_row(chunk.first_rows[row - chunk.first]);
    const bool ready = &first == &chunk || first.done.load(std::memory_order_acquire);
    if (ready) {
      rows_.fill_repeated(chunk, row);
      board_.add_repeated(rows_.record(row));
    }
    all = all && ready;
  }
  return all;
}

void Delivery::encode(Chunk& chunk, std::size_t cancelled_before) {
  if (chunk.index == 0) cancelled_before = cancelled_at_first_;
  if (options_.records != nullptr) chunk.record_lines = buffers_.take();
  for (std::size_t row = chunk.first; row < chunk.first + chunk.count; ++row) {
    append_row(chunk, row, std::exchange(cancelled_before, 0));
  }
  chunk.encoded = true;
}

void Delivery::append_row(Chunk& chunk, std::size_t row, std::size_t cancelled_before) {
  if (options_.records != nullptr) {
    append_(chunk.record_lines, rows_.record(row), {.row_base = records_base_, .cancelled_before = cancelled_before},
            rows_.content(chunk, row), rows_.candidate(row).origin());
  }
  if (options_.timings != nullptr) append_timing(chunk.timing_lines, timings_base_ + row, rows_.timing(row));
}

// A chunk's first rows of a kind lie in chunks before it, which are done by now.
void Delivery::deliver(Clock::TimePoint now) {
  while (is_next_done()) {
    Chunk& chunk = chunks_[next_.load(std::memory_order_relaxed)];
    if (!chunk.encoded) {
      fill_repeated(chunk);
      encode(chunk, 0);
    }
    take_lines(chunk);
    next_.fetch_add(1, std::memory_order_release);
  }
  if (record_lines_.size() >= kWriteBytes || now - written_ >= kWriteInterval) {
    write();
    written_ = now;
  }
}

void Delivery::take_lines(Chunk& chunk) {
  record_lines_ += chunk.record_lines;
  buffers_.give(std::exchange(chunk.record_lines, {}));
  timing_lines_ += std::exchange(chunk.timing_lines, {});
  chunk.prepared = nullptr;
}

void Delivery::write() {
  Result<void> written;
  if (options_.records != nullptr && !record_lines_.empty()) {
    written = RecordsWriterAccess::append(*options_.records, record_lines_);
  }
  if (options_.timings != nullptr && !timing_lines_.empty() && written) {
    written = RecordsWriterAccess::append(*options_.timings, timing_lines_);
  }
  record_lines_.clear();
  timing_lines_.clear();
  if (written || error_) return;
  error_ = std::move(written.error());
  stop_.store(1);
}

void Delivery::finish() {
  const MutexLock lock(mutex_);
  std::size_t cancelled_before = next_.load() == 0 ? cancelled_at_first_ : 0;
  for (std::size_t index = next_.load(); index < chunks_.size(); ++index)
    finish_chunk(chunks_[index], cancelled_before);
  write();
}

void Delivery::finish_chunk(Chunk& chunk, std::size_t& cancelled_before) {
  // The lines it may have were made without knowing what is missing before them.
  chunk.record_lines.clear();
  chunk.timing_lines.clear();
  for (std::size_t row = chunk.first; row < chunk.first + chunk.count; ++row) {
    finish_row(chunk, row);
    if (is_cancelled(rows_.record(row))) {
      ++cancelled_before;
      continue;
    }
    append_row(chunk, row, std::exchange(cancelled_before, 0));
  }
  take_lines(chunk);
}

void Delivery::finish_row(Chunk& chunk, std::size_t row) {
  Record& record = rows_.record(row);
  if (is_done(record)) return;
  if (chunk.open.load() && chunk.repeats(row)) rows_.fill_repeated(chunk, row);
  if (is_done(record) && !is_cancelled(record)) return;
  record = {.row = row};
  set_error(record, {.code = ErrorCode::cancelled, .message = "the evaluation ended before this candidate was done"});
}

std::optional<Error> Delivery::error() {
  const MutexLock lock(mutex_);
  return error_;
}

}  // namespace petri
