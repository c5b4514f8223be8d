#include "cli/candidate_batch.h"

#include <algorithm>
#include <utility>

#include "base/file.h"
#include "cli/candidate_files.h"
#include "cli/input_file.h"

namespace petri::cli {
namespace {

bool is_text(const std::string& path, const std::string& bytes) {
  return !begins_like_wasm(bytes) && path.ends_with(".wat");
}

std::span<const std::uint8_t> as_wasm(const std::string& bytes) {
  return {reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()};
}

}  // namespace

Candidate candidate_in(const std::string& path, const std::string& bytes) {
  return (is_text(path, bytes) ? Candidate::wat(bytes) : Candidate::wasm(as_wasm(bytes))).from({.name = path});
}

Result<ArtifactPtr> artifact_in(const std::string& path, const std::string& bytes, std::uint64_t bytes_max) {
  return is_text(path, bytes) ? Artifact::from_wat(bytes, bytes_max) : Artifact::from_wasm(as_wasm(bytes), bytes_max);
}

Result<CandidateBatch> CandidateBatch::read(std::span<const std::string> paths, const std::stop_token& stop,
                                            const BatchSize& size) {
  CandidateBatch batch;
  std::uint64_t bytes = 0;
  for (const std::string& path : paths.first(std::min(paths.size(), size.rows_max))) {
    if (bytes >= size.bytes_max || stop.stop_requested()) break;
    PETRI_TRY(std::string file, read_file(path, kCandidateBytesMax));
    bytes += file.size();
    batch.files_.push_back(std::move(file));
  }
  // Only now, when no string moves any more.
  batch.candidates_.reserve(batch.files_.size());
  for (std::size_t row = 0; row < batch.files_.size(); ++row) {
    batch.candidates_.push_back(candidate_in(paths[row], batch.files_[row]));
  }
  return batch;
}

}  // namespace petri::cli
