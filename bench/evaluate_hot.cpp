#include "bench/evaluate_hot.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "bench/evaluation_job.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr int kCandidates = 16;
constexpr std::size_t kEvaluateHotCases = 100;
constexpr std::size_t kEvaluateHotRepeats = 5;
// 15 units of fuel each.
constexpr int kTurns = 66'667;

// Draws from a generator of random numbers, turn after turn, and adds up what it draws.
std::string hot_text(std::uint64_t number) {
  return fmt::format(R"((module
    (func (export "f") (param f64) (result f64) (local $turns i32) (local $state i64) (local $sum i64)
      (local.set $turns (i32.const {}))
      (local.set $state (i64.const {}))
      (loop $again
        (local.set $state (i64.add (i64.mul (local.get $state) (i64.const 6364136223846793005)) (i64.const 1)))
        (local.set $sum (i64.add (local.get $sum) (i64.shr_u (local.get $state) (i64.const 40))))
        (br_if $again (local.tee $turns (i32.sub (local.get $turns) (i32.const 1)))))
      (f64.add (local.get 0) (f64.convert_i64_u (local.get $sum)))))
  )",
                     kTurns, number);
}

CandidateBatch hot_batch(std::uint64_t first) {
  CandidateBatch batch;
  for (std::uint64_t number = first; number < first + kCandidates; ++number) batch.add_wat(hot_text(number));
  return batch;
}

Result<Measurement> measure_evaluate_hot() {
  std::vector<Case> cases;
  for (std::size_t i = 0; i < kEvaluateHotCases; ++i)
    cases.push_back({.arguments = {Value(static_cast<double>(i))}, .input = {}});
  PETRI_TRY(EvaluationJob job, EvaluationJob::create(std::move(cases), {.function = "f", .fuel_max = 10'000'000}));
  std::uint64_t first = 0;
  const auto seconds = [&](Tier tier) -> Result<double> {
    const CandidateBatch batch = hot_batch(std::exchange(first, first + kCandidates));
    return processor_seconds_of([&] { return job.evaluate_honest(batch, {.tier = tier}); });
  };
  std::vector<double> promoted, compiled;
  for (std::size_t i = 0; i < kEvaluateHotRepeats; ++i) {
    PETRI_TRY(promoted.emplace_back(), seconds(Tier::automatic));
    PETRI_TRY(compiled.emplace_back(), seconds(Tier::compiled));
  }
  PETRI_TRY(const double never, seconds(Tier::interpreted));
  return Measurement{
      .value = middle_of(compiled) / middle_of(promoted),
      .reference = std::nullopt,
      .notes = {fmt::format("{} candidates: {:.3g} s with promotion, {:.3g} s compiled, {:.3g} s interpreted",
                            kCandidates, median(promoted), median(compiled), never)}};
}

}  // namespace

Benchmark evaluate_hot_ratio() {
  return {
      .name = "evaluate_hot_ratio",
      .unit = "x",
      .what =
          "candidates that burn 10^6 fuel in each of 100 cases, two workers: time when all are compiled before they "
          "run / time when they begin interpreted and are promoted, compilations included in both (processor time)",
      .bar = ">= 0.85",
      .measure = measure_evaluate_hot};
}

}  // namespace petri::bench
