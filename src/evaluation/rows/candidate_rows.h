// The rows of an evaluation: candidates on one side, records on the other.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "evaluation/records/lines.h"
#include "evaluation/rows/duplicates.h"
#include "evaluation/rows/row_chunks.h"
#include "petri/evaluate.h"

namespace petri {

// Different rows may be used by different threads at once; open() any number of chunks at once.
class CandidateRows {
 public:
  // `keep_content`: artifacts that were made of text are kept until the record is written.
  CandidateRows(std::span<const Candidate> candidates, Engine& engine, std::uint64_t module_bytes_max,
                bool keep_content);

  std::size_t size() const { return candidates_.size(); }

  // Finds out which candidates of the chunk are new. Chunks become open in their order, on any thread, so that a
  // repeated row always names the first of its kind.
  void open(Chunk& chunk);

  const Candidate& candidate(std::size_t row) const { return candidates_[row]; }
  const Sha256& key(std::size_t row) const { return keys_[row]; }
  Record& record(std::size_t row) { return records_[row]; }
  Timing& timing(std::size_t row) { return timings_[row]; }

  // The artifact of a row whose candidate came as one or as text, else nullptr. To be taken once for each row.
  ArtifactPtr take_prepared(Chunk& chunk, std::size_t row);
  // The candidate itself as a records file keeps it.
  CandidateContent content(const Chunk& chunk, std::size_t row) const;
  // Copies the first record of its kind into a row that repeats it.
  void fill_repeated(const Chunk& chunk, std::size_t row);

  std::vector<Record> take_records() { return std::move(records_); }
  std::vector<Timing> take_timings() { return std::move(timings_); }

 private:
  void find_key(Chunk& chunk, std::size_t row);
  void find_key_of_text(Chunk& chunk, std::size_t row, std::string_view text);
  void set_prepared(Chunk& chunk, std::size_t row, ArtifactPtr artifact);

  std::span<const Candidate> candidates_;
  Engine& engine_;
  const std::uint64_t module_bytes_max_;
  const bool keep_content_;
  std::vector<Sha256> keys_;
  std::vector<Record> records_;
  std::vector<Timing> timings_;
  Duplicates duplicates_;               // used by the opener whose turn it is
  std::atomic<std::uint32_t> turn_{0};  // the chunk that is next to become open
};

}  // namespace petri
