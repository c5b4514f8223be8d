#include "bench/evaluate.h"

#include <fmt/format.h>

#include <array>
#include <utility>
#include <vector>

#include "bench/evaluation_job.h"
#include "bench/lives.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::uint64_t kEvaluateBatch = 20'000;
constexpr std::uint32_t kCases = 20;
constexpr std::size_t kEvaluateRepeats = 15;

// Candidates of numbers never used before, so that no cache answers.
class FreshBatches {
 public:
  Result<CandidateBatch> next() {
    return CandidateBatch::of_wasm(std::exchange(first_, first_ + kEvaluateBatch), kEvaluateBatch);
  }

 private:
  std::uint64_t first_ = 0;
};

// Seconds for one fresh batch.
Result<double> seconds_of(EvaluationJob& job, const CandidateBatch& batch, const EvaluationJob::Manner& manner) {
  return wall_seconds_of([&] { return job.evaluate_honest(batch, manner); });
}

Result<Measurement> measure_per_second() {
  std::array<Lives, kThreads> bare;
  for (Lives& lives : bare) {
    PETRI_TRY(lives, lives_in_bare_engine(kCases));
  }
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  FreshBatches batches;
  std::vector<double> values, references;
  for (std::size_t i = 0; i < kEvaluateRepeats; ++i) {
    PETRI_TRY(const CandidateBatch batch, batches.next());
    PETRI_TRY(const double seconds, seconds_of(job, batch, {}));
    values.push_back(kEvaluateBatch / seconds);
    PETRI_TRY(references.emplace_back(), lives_per_second(bare, i * kEvaluateBatch, kEvaluateBatch / kThreads));
  }
  return Measurement{.value = median(values), .reference = median(references)};
}

Result<Measurement> measure_wat_per_second() {
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  std::vector<double> values;
  for (std::size_t i = 0; i < kEvaluateRepeats; ++i) {
    const CandidateBatch batch = CandidateBatch::of_wat(i * kEvaluateBatch, kEvaluateBatch);
    PETRI_TRY(const double seconds, seconds_of(job, batch, {}));
    values.push_back(kEvaluateBatch / seconds);
  }
  return Measurement{.value = median(values), .reference = std::nullopt};
}

Result<Measurement> measure_scaling() {
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  FreshBatches batches;
  std::vector<double> ones, twos;
  for (std::size_t i = 0; i < kEvaluateRepeats; ++i) {
    PETRI_TRY(const CandidateBatch for_one, batches.next());
    PETRI_TRY(ones.emplace_back(), seconds_of(job, for_one, {.workers = 1}));
    PETRI_TRY(const CandidateBatch for_two, batches.next());
    PETRI_TRY(twos.emplace_back(), seconds_of(job, for_two, {.workers = 2}));
  }
  const double one = median(ones), two = median(twos);
  return Measurement{.value = one / two,
                     .reference = std::nullopt,
                     .notes = {fmt::format("{:.0f} a second with one worker, {:.0f} with two", kEvaluateBatch / one,
                                           kEvaluateBatch / two)}};
}

Result<Measurement> measure_receipt_overhead() {
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  FreshBatches batches;
  const auto seconds = [&](bool records) -> Result<double> {
    PETRI_TRY(const CandidateBatch batch, batches.next());
    return processor_seconds_of([&] { return job.evaluate_honest(batch, {.records = records}); });
  };
  std::vector<double> with, without;
  for (std::size_t i = 0; i < kEvaluateRepeats; ++i) {
    PETRI_TRY(with.emplace_back(), seconds(true));
    PETRI_TRY(without.emplace_back(), seconds(false));
  }
  return Measurement{.value = (median(with) / median(without) - 1) * 100, .reference = std::nullopt};
}

}  // namespace

Benchmark evaluate_per_second() {
  return {.name = "evaluate_per_second",
          .unit = "/s",
          .what =
              "distinct candidates of about 100 bytes over 20 cases, from wasm bytes to score, receipt and a line in a "
              "file, two workers; reference: the bare interpreter's load, instantiate, 20 calls, drop on two threads "
              "(steady clock)",
          .bar = ">= 150000",
          .measure = measure_per_second};
}

Benchmark evaluate_wat_per_second() {
  return {.name = "evaluate_wat_per_second",
          .unit = "/s",
          .what = "the same from wat text (steady clock)",
          .bar = ">= 50000",
          .measure = measure_wat_per_second};
}

Benchmark evaluate_scaling() {
  return {.name = "evaluate_scaling",
          .unit = "x",
          .what = "the same from wasm bytes: how much quicker two workers are than one (steady clock)",
          .bar = ">= 1.8",
          .measure = measure_scaling};
}

Benchmark receipt_overhead_percent() {
  return {.name = "receipt_overhead_percent",
          .unit = "%",
          .what = "the same: what receipts and the records file cost on top of an evaluation without (processor time)",
          .bar = "<= 15",
          .measure = measure_receipt_overhead};
}

}  // namespace petri::bench
