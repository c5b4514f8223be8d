#include "cli/commands/candidate_batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/files/file.h"
#include "base/module_size.h"
#include "base/text/byte_text.h"
#include "base/threads/thread_pool.h"
#include "cli/commands/candidate_files.h"
#include "cli/input_file.h"
#include "evaluation/spec_check.h"

namespace petri::cli {
namespace {

bool is_text(const std::string& path, const std::string& bytes) {
  return !starts_like_wasm(bytes) && path.ends_with(".wat");
}

// The most that one batch may keep of the rows it evaluates. A value has 8 bytes, and up to 24 as text.
constexpr std::uint64_t kKeptBytesMax = 1ULL << 30;
constexpr std::uint64_t kCopies = 4;

// Too much is module_too_large, in the words of the gate.
Result<std::string> read_candidate(const std::string& path, std::uint64_t bytes_max) {
  Result<std::string> file = read_file(path, bytes_max);
  if (file || file.error().code != ErrorCode::too_large) return file;
  std::error_code unknown;
  const std::uintmax_t bytes = std::filesystem::file_size(path, unknown);
  return fail(module_too_large(path.ends_with(".wat") ? "text" : "module", bytes, bytes_max));
}

// So many are compiled side by side before the next ones are looked at.
constexpr std::size_t kLoadedTogether = 64;

std::vector<Result<std::string>> load_all(std::span<const std::string> paths, ThreadPool& threads,
                                          std::uint64_t bytes_max) {
  std::vector<Result<std::string>> files(paths.size(), fail(ErrorCode::cancelled, "not read yet"));
  const auto load = [&](std::size_t index) { files[index] = load_candidate(paths[index], bytes_max); };
  if (std::ranges::any_of(paths, names_source_code)) {
    threads.for_each(paths.size(), load);
  } else {
    for (std::size_t index = 0; index < paths.size(); ++index) load(index);
  }
  return files;
}

bool is_a_row(const Error& error, const std::string& path) {
  return error.code == ErrorCode::module_too_large || (names_source_code(path) && error.code != ErrorCode::io_error);
}

}  // namespace

Result<std::string> load_candidate(const std::string& path, std::uint64_t bytes_max) {
  if (!names_source_code(path)) return read_candidate(path, bytes_max);
  PETRI_TRY(const ArtifactPtr artifact, compile_file(path, bytes_max));
  const auto bytes = artifact->bytes();
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

BatchSize BatchSize::for_rows_of(const EvaluationSpec& spec, std::size_t cases) {
  const BatchSize usual{.file_bytes_max = spec.module_bytes_max};
  const std::uint64_t rows = kKeptBytesMax / (kCopies * row_bytes_max(spec, cases));
  return {.rows_max = std::clamp<std::size_t>(rows, 1, usual.rows_max),
          .bytes_max = usual.bytes_max,
          .file_bytes_max = usual.file_bytes_max};
}

Candidate candidate_in(const std::string& path, const std::string& bytes) {
  return (is_text(path, bytes) ? Candidate::wat(bytes) : Candidate::wasm(as_bytes(bytes))).from({.name = path});
}

Result<ArtifactPtr> artifact_in(const std::string& path, const std::string& bytes, std::uint64_t bytes_max) {
  return is_text(path, bytes) ? Artifact::from_wat(bytes, bytes_max) : Artifact::from_wasm(as_bytes(bytes), bytes_max);
}

Result<CandidateBatch> CandidateBatch::read(std::span<const std::string> paths, const std::stop_token& stop,
                                            const BatchSize& size) {
  CandidateBatch batch;
  ThreadPool threads({.name = "petri-read"});
  std::uint64_t bytes = 0;
  const auto is_full = [&] {
    return bytes >= size.bytes_max || batch.files_.size() >= size.rows_max || stop.stop_requested();
  };
  while (batch.files_.size() < paths.size() && !is_full()) {
    const auto rest = paths.subspan(batch.files_.size());
    const auto next = rest.first(std::min({rest.size(), kLoadedTogether, size.rows_max - batch.files_.size()}));
    for (Result<std::string>& file : load_all(next, threads, size.file_bytes_max)) {
      if (is_full()) break;
      if (!file && !is_a_row(file.error(), paths[batch.files_.size()])) return fail(std::move(file.error()));
      if (file) bytes += file->size();
      batch.files_.push_back(std::move(file));
    }
  }
  // Only now, when no string moves any more.
  batch.candidates_.reserve(batch.files_.size());
  for (std::size_t row = 0; row < batch.files_.size(); ++row) {
    const Result<std::string>& file = batch.files_[row];
    batch.candidates_.push_back(file ? candidate_in(paths[row], *file)
                                     : Candidate::unread(file.error()).from({.name = paths[row]}));
  }
  return batch;
}

}  // namespace petri::cli
