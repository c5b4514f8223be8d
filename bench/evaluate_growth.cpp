#include "bench/evaluate_growth.h"

#include <fmt/format.h>

#include "bench/evaluation_job.h"
#include "bench/resident_memory.h"

namespace petri::bench {
namespace {

constexpr std::uint64_t kEvaluateGrowthBatch = 100'000;
// The cache of records is full after one of them; two more show that it is.
constexpr std::uint64_t kWarmUpBatches = 3;
constexpr std::uint64_t kBatchesPerNote = 10;

// Candidates, records and their file are gone when it returns.
Result<void> evaluate_batch(EvaluationJob& job, std::uint64_t number) {
  PETRI_TRY(const CandidateBatch batch, CandidateBatch::of_wasm(number * kEvaluateGrowthBatch, kEvaluateGrowthBatch));
  return job.evaluate_honest(batch, {});
}

}  // namespace

Result<Measurement> measure_evaluation_growth(std::uint64_t candidates) {
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  for (std::uint64_t i = 0; i < kWarmUpBatches; ++i) PETRI_TRY(evaluate_batch(job, i));
  PETRI_TRY(const double before, resident_mib());
  Measurement measured;
  const std::uint64_t batches = candidates / kEvaluateGrowthBatch;
  for (std::uint64_t i = 1; i <= batches; ++i) {
    PETRI_TRY(evaluate_batch(job, kWarmUpBatches + i));
    if (i % kBatchesPerNote != 0 && i != batches) continue;
    PETRI_TRY(const double now, resident_mib());
    measured.value = now - before;
    measured.notes.push_back(
        fmt::format("{:8} candidates: {:.1f} MiB resident, {:+.1f}", i * kEvaluateGrowthBatch, now, now - before));
  }
  return measured;
}

Benchmark ten_million_candidates_growth_mib() {
  return {.name = "ten_million_candidates_growth_mib",
          .unit = "MiB",
          .what =
              "growth of resident memory over ten million distinct candidates in batches of 100,000 through one "
              "evaluator, records on, after 300,000 to warm up; long: some minutes",
          .bar = "<= 8",
          .measure = [] { return measure_evaluation_growth(10'000'000); },
          .only_when_named = true};
}

}  // namespace petri::bench
