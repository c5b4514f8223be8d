#include "bench/evaluate.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "bench/candidate_cycles.h"
#include "bench/evaluation_job.h"
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
  explicit FreshBatches(MakeBatch make = CandidateBatch::of_mix) : make_(make) {}
  Result<CandidateBatch> next() { return make_(std::exchange(first_, first_ + kEvaluateBatch), kEvaluateBatch); }

 private:
  MakeBatch make_;
  std::uint64_t first_ = 0;
};

// Seconds for one fresh batch.
Result<double> seconds_of(EvaluationJob& job, const CandidateBatch& batch, const EvaluationJob::Manner& manner) {
  return wall_seconds_of([&] { return job.evaluate_honest(batch, manner); });
}

Result<double> bare_per_second(const CandidateBatch& batch) {
  std::array<CycleRunner, kThreads> bare;
  bare.fill(cycles_in_bare_engine(batch, kCases));
  return cycles_per_second(bare, 0, batch.size() / kThreads);
}

// Candidates a second: petri's, and the bare engine's of the same modules in turn.
Result<Measurement> measure_per_second(MakeBatch make) {
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  FreshBatches batches(make);
  std::vector<double> values, references;
  for (std::size_t i = 0; i < kEvaluateRepeats; ++i) {
    PETRI_TRY(const CandidateBatch batch, batches.next());
    PETRI_TRY(const double seconds, seconds_of(job, batch, {}));
    values.push_back(kEvaluateBatch / seconds);
    PETRI_TRY(references.emplace_back(), bare_per_second(batch));
  }
  return Measurement{.value = middle_of(values), .reference = middle_of(references)};
}

Result<Measurement> measure_ratio(MakeBatch make) {
  PETRI_TRY(const Measurement rates, measure_per_second(make));
  return Measurement{
      .value = rates.value / *rates.reference,
      .reference = std::nullopt,
      .notes = {fmt::format("{:.0f} a second, {:.0f} in the bare engine", rates.value, *rates.reference)}};
}

Result<Measurement> measure_json_per_second() {
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  FreshBatches batches;
  std::vector<double> json, compact;
  for (std::size_t i = 0; i < kEvaluateRepeats; ++i) {
    PETRI_TRY(const CandidateBatch for_json, batches.next());
    PETRI_TRY(const double seconds, seconds_of(job, for_json, {.form = RecordsForm::json_lines}));
    json.push_back(kEvaluateBatch / seconds);
    PETRI_TRY(const CandidateBatch for_compact, batches.next());
    PETRI_TRY(const double beside, seconds_of(job, for_compact, {}));
    compact.push_back(kEvaluateBatch / beside);
  }
  return Measurement{.value = middle_of(json), .reference = middle_of(compact)};
}

Result<Measurement> measure_wat_per_second() {
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  std::vector<double> values;
  for (std::size_t i = 0; i < kEvaluateRepeats; ++i) {
    const CandidateBatch batch = CandidateBatch::of_wat(i * kEvaluateBatch, kEvaluateBatch);
    PETRI_TRY(const double seconds, seconds_of(job, batch, {}));
    values.push_back(kEvaluateBatch / seconds);
  }
  return Measurement{.value = middle_of(values), .reference = std::nullopt};
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
  const Sampled one = middle_of(ones), two = middle_of(twos);
  return Measurement{.value = one / two,
                     .reference = std::nullopt,
                     .notes = {fmt::format("{:.0f} a second with one worker, {:.0f} with two", kEvaluateBatch / one,
                                           kEvaluateBatch / two)}};
}

Result<Sampled> overhead_percent(MakeBatch make, RecordsForm form = RecordsForm::compact) {
  PETRI_TRY(EvaluationJob job, EvaluationJob::create());
  FreshBatches batches(make);
  const auto seconds = [&](bool records) -> Result<double> {
    PETRI_TRY(const CandidateBatch batch, batches.next());
    return processor_seconds_of([&] { return job.evaluate_honest(batch, {.records = records, .form = form}); });
  };
  std::vector<double> with, without;
  for (std::size_t i = 0; i < kEvaluateRepeats; ++i) {
    PETRI_TRY(with.emplace_back(), seconds(true));
    PETRI_TRY(without.emplace_back(), seconds(false));
  }
  const Sampled times = middle_of(with) / middle_of(without);
  return Sampled((times.value - 1) * 100, *times.spread / std::abs(times.value - 1));
}

Result<Measurement> measure_receipt_overhead() {
  PETRI_TRY(const Sampled mixed, overhead_percent(CandidateBatch::of_mix));
  PETRI_TRY(const Sampled straight, overhead_percent(CandidateBatch::of_wasm));
  PETRI_TRY(const Sampled json, overhead_percent(CandidateBatch::of_mix, RecordsForm::json_lines));
  return Measurement{.value = mixed,
                     .reference = std::nullopt,
                     .notes = {fmt::format("{:.3g} % of candidates that are straight-line code", straight),
                               fmt::format("{:.3g} % as JSON Lines", json)}};
}

}  // namespace

Benchmark evaluate_per_second() {
  return {.name = "evaluate_per_second",
          .unit = "/s",
          .what =
              "distinct candidates of the mix (60 to 400 bytes: expressions, branches, loops, calls, memory) over 20 "
              "cases, from wasm bytes to score, receipt and record in a compact file, two workers; reference: the bare "
              "interpreter's load, instantiate, 20 calls, drop on two threads (steady clock)",
          .bar = ">= 150000",
          .measure = [] { return measure_per_second(CandidateBatch::of_mix); }};
}

Benchmark evaluate_json_per_second() {
  return {.name = "evaluate_json_per_second",
          .unit = "/s",
          .what = "evaluate_per_second into JSON Lines; reference: into a compact file (steady clock)",
          .bar = "",
          .measure = measure_json_per_second};
}

Benchmark evaluate_straight_per_second() {
  return {.name = "evaluate_straight_per_second",
          .unit = "/s",
          .what = "the same with candidates of about 100 bytes of straight-line code (steady clock)",
          .bar = ">= 190000",
          .measure = [] { return measure_per_second(CandidateBatch::of_wasm); }};
}

Benchmark evaluate_ratio() {
  return {.name = "evaluate_ratio",
          .unit = "x",
          .what = "evaluate_per_second / what the bare interpreter does of the same modules (steady clock)",
          .bar = ">= 0.58",
          .measure = [] { return measure_ratio(CandidateBatch::of_mix); }};
}

Benchmark evaluate_straight_ratio() {
  return {.name = "evaluate_straight_ratio",
          .unit = "x",
          .what = "evaluate_straight_per_second / what the bare interpreter does of the same modules (steady clock)",
          .bar = ">= 0.58",
          .measure = [] { return measure_ratio(CandidateBatch::of_wasm); }};
}

Benchmark evaluate_wat_per_second() {
  return {.name = "evaluate_wat_per_second",
          .unit = "/s",
          .what = "candidates of about 100 bytes of straight-line code from wat text (steady clock)",
          .bar = ">= 50000",
          .measure = measure_wat_per_second};
}

Benchmark evaluate_scaling() {
  return {.name = "evaluate_scaling",
          .unit = "x",
          .what = "evaluate_per_second: how much quicker two workers are than one (steady clock)",
          .bar = ">= 1.8",
          .measure = measure_scaling};
}

Benchmark receipt_overhead_percent() {
  return {.name = "receipt_overhead_percent",
          .unit = "%",
          .what =
              "candidates of the mix: what receipts and a compact records file cost on top of an evaluation without "
              "(processor time)",
          .bar = "<= 12",
          .measure = measure_receipt_overhead};
}

}  // namespace petri::bench
