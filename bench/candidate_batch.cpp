#include "bench/candidate_batch.h"

#include <utility>

#include "bench/mix/mixed_program.h"
#include "bench/small_module.h"

namespace petri::bench {

Result<CandidateBatch> CandidateBatch::of_wasm(std::uint64_t first, std::uint64_t count) {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  CandidateBatch batch;
  for (std::uint64_t number = first; number < first + count; ++number) batch.add_wasm(modules.numbered(number));
  return batch;
}

CandidateBatch CandidateBatch::of_wat(std::uint64_t first, std::uint64_t count) {
  CandidateBatch batch;
  for (std::uint64_t number = first; number < first + count; ++number) batch.add_wat(SmallModule::text(number));
  return batch;
}

Result<CandidateBatch> CandidateBatch::of_mix(std::uint64_t first, std::uint64_t count) {
  CandidateBatch batch;
  WasmBuilder builder;
  std::vector<std::uint8_t> bytes;
  for (std::uint64_t number = first; number < first + count; ++number) {
    PETRI_TRY(mix::build_program(mix::draw_program(mix::kMixSeed, number), builder, bytes));
    batch.add_wasm(bytes);
  }
  return batch;
}

std::span<const std::uint8_t> CandidateBatch::bytes_of(std::size_t index) const {
  const std::string& content = contents_[index];
  return {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()};
}

void CandidateBatch::add_wasm(std::span<const std::uint8_t> bytes) {
  const std::string& kept = contents_.emplace_back(bytes.begin(), bytes.end());
  candidates_.push_back(Candidate::wasm({reinterpret_cast<const std::uint8_t*>(kept.data()), kept.size()}));
}

void CandidateBatch::add_wat(std::string text) {
  candidates_.push_back(Candidate::wat(contents_.emplace_back(std::move(text))));
}

}  // namespace petri::bench
