#include "evaluation/rows/candidate_rows.h"

#include <string>

#include "base/assert.h"
#include "base/text/byte_text.h"
#include "engine/sha256.h"
#include "evaluation/candidate/candidate_evaluator.h"

namespace petri {
namespace {

// Text that does not parse never becomes an artifact; its key is that of no wasm.
Sha256 key_of_bad_text(std::string_view text) {
  const std::string marked = std::string("wat").append(1, '\0').append(text);
  return sha256(as_bytes(marked));
}

// Nobody knows whether two candidates that were not read are the same.
Sha256 key_of_unread(std::size_t row) {
  const std::string marked = std::string("unread").append(1, '\0').append(std::to_string(row));
  return sha256(as_bytes(marked));
}

}  // namespace

CandidateRows::CandidateRows(std::span<const Candidate> candidates, Engine& engine, std::uint64_t module_bytes_max,
                             bool keep_content)
    : candidates_(candidates),
      engine_(engine),
      module_bytes_max_(module_bytes_max),
      keep_content_(keep_content),
      keys_(candidates.size()),
      records_(candidates.size()),
      timings_(candidates.size()),
      duplicates_(keys_) {}

void CandidateRows::open(Chunk& chunk) {
  // Candidates lie all over memory: they are fetched all at once rather than one after the other.
  for (std::size_t row = chunk.first; row < chunk.first + chunk.count; ++row) {
    const auto* bytes = std::get_if<std::span<const std::uint8_t>>(&candidates_[row].form());
    if (bytes == nullptr || bytes->empty()) continue;
    __builtin_prefetch(bytes->data());
    __builtin_prefetch(&bytes->back());
  }
  for (std::size_t row = chunk.first; row < chunk.first + chunk.count; ++row) find_key(chunk, row);
  for (std::uint32_t turn = turn_; turn != chunk.index; turn = turn_) turn_.wait(turn);
  std::uint32_t repeated = 0;
  for (std::size_t row = chunk.first; row < chunk.first + chunk.count; ++row) {
    chunk.first_rows[row - chunk.first] = static_cast<std::uint32_t>(duplicates_.first_row_like(row));
    if (!chunk.repeats(row)) continue;
    ++repeated;
    records_[row] = {.row = row};  // text that does not parse has its error already
  }
  turn_.store(chunk.index + 1);
  turn_.notify_all();
  // Rows that repeat others bring nothing; the opening itself is still to be brought.
  chunk.left.fetch_sub(repeated, std::memory_order_relaxed);
  chunk.open.store(true, std::memory_order_release);
  chunk.open.notify_all();
}

void CandidateRows::find_key(Chunk& chunk, std::size_t row) {
  records_[row].row = row;
  const Candidate::Form& form = candidates_[row].form();
  if (const auto* bytes = std::get_if<std::span<const std::uint8_t>>(&form)) {
    keys_[row] = sha256(*bytes);
  } else if (const auto* text = std::get_if<std::string_view>(&form)) {
    find_key_of_text(chunk, row, *text);
  } else if (const auto* why = std::get_if<std::shared_ptr<const Error>>(&form)) {
    keys_[row] = key_of_unread(row);
    set_error(records_[row], **why);
  } else if (const ArtifactPtr& artifact = std::get<ArtifactPtr>(form); artifact != nullptr) {
    keys_[row] = artifact->id();
    set_prepared(chunk, row, artifact);
  } else {
    set_error(records_[row], {.code = ErrorCode::validation_failed, .message = "there is no artifact to evaluate"});
  }
}

void CandidateRows::find_key_of_text(Chunk& chunk, std::size_t row, std::string_view text) {
  auto artifact = engine_.prepare_wat(text, module_bytes_max_);
  if (!artifact) {
    keys_[row] = key_of_bad_text(text);
    set_error(records_[row], std::move(artifact.error()));
    return;
  }
  keys_[row] = (*artifact)->id();
  set_prepared(chunk, row, *std::move(artifact));
}

void CandidateRows::set_prepared(Chunk& chunk, std::size_t row, ArtifactPtr artifact) {
  if (chunk.prepared == nullptr) chunk.prepared = std::make_unique<std::array<ArtifactPtr, Chunk::kRows>>();
  (*chunk.prepared)[row - chunk.first] = std::move(artifact);
}

ArtifactPtr CandidateRows::take_prepared(Chunk& chunk, std::size_t row) {
  if (chunk.prepared == nullptr) return nullptr;
  ArtifactPtr& artifact = (*chunk.prepared)[row - chunk.first];
  return keep_content_ ? artifact : std::move(artifact);
}

CandidateContent CandidateRows::content(const Chunk& chunk, std::size_t row) const {
  const Candidate::Form& form = candidates_[row].form();
  std::span<const std::uint8_t> wasm;
  if (const auto* bytes = std::get_if<std::span<const std::uint8_t>>(&form)) {
    wasm = *bytes;
  } else if (chunk.prepared != nullptr && (*chunk.prepared)[row - chunk.first] != nullptr) {
    wasm = (*chunk.prepared)[row - chunk.first]->bytes();
  } else if (const auto* text = std::get_if<std::string_view>(&form)) {
    if (text->size() <= module_bytes_max_) return {.wasm = std::nullopt, .wat = *text};
    return {};
  } else {
    return {};
  }
  if (wasm.size() > module_bytes_max_) return {};
  return {.wasm = wasm, .wat = std::nullopt};
}

void CandidateRows::fill_repeated(const Chunk& chunk, std::size_t row) {
  const std::size_t first = chunk.first_rows[row - chunk.first];
  PETRI_ASSERT(first < row);
  records_[row] = records_[first];
  records_[row].row = row;
  records_[row].repeats_row = first;
  timings_[row].tier = timings_[first].tier;
}

}  // namespace petri
