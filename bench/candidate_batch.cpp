#include "bench/candidate_batch.h"

#include <utility>

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

void CandidateBatch::add_wasm(std::span<const std::uint8_t> bytes) {
  const std::string& kept = contents_.emplace_back(bytes.begin(), bytes.end());
  candidates_.push_back(Candidate::wasm({reinterpret_cast<const std::uint8_t*>(kept.data()), kept.size()}));
}

void CandidateBatch::add_wat(std::string text) {
  candidates_.push_back(Candidate::wat(contents_.emplace_back(std::move(text))));
}

}  // namespace petri::bench
