// Candidates as they lie in memory while they are evaluated.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "petri/artifact.h"
#include "petri/evaluate.h"
#include "petri/result.h"

namespace petri::cli {

// This many files, or files of this many bytes, are evaluated together, so that folders of any size fit in memory. Both
// numbers decide which rows can name an earlier one they repeat, and so are the same for every invocation.
struct BatchSize {
  std::size_t rows_max = 50'000;
  std::uint64_t bytes_max = 256ULL << 20;
  std::uint64_t file_bytes_max = 5ULL << 20;  // a larger file is a row that failed, and is not read

  // For candidates of this spec, each called with this many cases: what all rows of a batch keep, as values and as
  // lines of the records file, fits in memory whatever the candidates return.
  static BatchSize for_rows_of(const EvaluationSpec& spec, std::size_t cases);
};

// Bytes that begin like wasm are wasm; what else a file holds is taken for what its name says.
Candidate candidate_in(const std::string& path, const std::string& bytes);
// Prepares the candidate in these bytes.
Result<ArtifactPtr> artifact_in(const std::string& path, const std::string& bytes, std::uint64_t bytes_max);

// The bytes of a file, or of the module that its source code is compiled to.
Result<std::string> load_candidate(const std::string& path, std::uint64_t bytes_max);

class CandidateBatch {
 public:
  // Reads the first of these files, as many as fit, at least one. io_error when one cannot be read; one that is too
  // large is a candidate that was not read. The stop token ends the reading early, at worst with nothing read.
  static Result<CandidateBatch> read(std::span<const std::string> paths, const std::stop_token& stop,
                                     const BatchSize& size = {});

  std::span<const Candidate> candidates() const { return candidates_; }

 private:
  std::vector<Result<std::string>> files_;  // what the candidates borrow; moving the vector leaves them in place
  std::vector<Candidate> candidates_;
};

}  // namespace petri::cli
