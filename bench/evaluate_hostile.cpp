#include "bench/evaluate_hostile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/evaluation_job.h"
#include "bench/loaded_module.h"
#include "bench/small_module.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::uint64_t kHonest = 18'000;
constexpr std::uint64_t kHonestPerHostile = 9;
constexpr std::size_t kEvaluateHostileRepeats = 9;
constexpr std::uint64_t kFirst = 1'000;  // above the numbers each kind is tried with alone

// {} is a number that makes each one another module.
struct Hostile {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<Hostile, 5> kHostile{{
    {"loops for ever", R"((module (func (export "f") (param f64) (result f64) (loop (br 0)) (f64.const {}))))"},
    {"grows its memory as far as it can",
     R"((module (memory 1) (func (export "f") (param f64) (result f64)
         (loop (br_if 0 (i32.ne (memory.grow (i32.const 1)) (i32.const -1)))) (loop (br 0)) (f64.const {}))))"},
    {"asks for more memory than there is",
     R"((module (memory 1000) (func (export "f") (param f64) (result f64) (f64.const {}))))"},
    {"traps", R"((module (func (export "f") (param f64) (result f64) unreachable (f64.const {}))))"},
    {"recurses for ever",
     R"((module (func $f (export "f") (param f64) (result f64) (f64.add (call $f (local.get 0)) (f64.const {})))))"},
}};

// The job with the limits of someone who expects such guests: a hundred times the fuel that honest ones burn in a case,
// memory they do not need at all, and a candidate ends with its first failure.
Result<EvaluationJob> guarded_job() {
  EvaluationSpec spec = polynomial_spec();
  spec.fuel_max = 2'000;
  spec.memory_bytes_max = 256 << 10;
  spec.stop_at_first_failure = true;
  return EvaluationJob::create(polynomial_cases(), std::move(spec));
}

Result<void> add(CandidateBatch& batch, const Hostile& hostile, std::uint64_t number) {
  const std::string text = fmt::format(fmt::runtime(hostile.text), number);
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wat(text, kModuleBytesMax));
  batch.add_wasm(artifact->bytes());
  return {};
}

struct Batches {
  CandidateBatch honest;
  CandidateBatch mixed;  // the same number of honest ones, others, with hostile ones among them
};

Result<Batches> batches_from(std::uint64_t first) {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  Batches batches;
  for (std::uint64_t i = 0; i < kHonest; ++i) {
    batches.honest.add_wasm(modules.numbered(first + i));
    batches.mixed.add_wasm(modules.numbered(first + kHonest + i));
    if (i % kHonestPerHostile != 0) continue;
    const Hostile& hostile = kHostile[i / kHonestPerHostile % kHostile.size()];
    PETRI_TRY(add(batches.mixed, hostile, first + i));
  }
  return batches;
}
// Every honest candidate is ok and none of the others, or the comparison means nothing.
Result<void> evaluate_mixed(EvaluationJob& job, const CandidateBatch& batch) {
  PETRI_TRY(const Evaluation evaluation, job.evaluate(batch, {}));
  const auto ok = std::ranges::count(evaluation.records, OutcomeKind::ok, &Record::outcome);
  if (static_cast<std::uint64_t>(ok) == kHonest) return {};
  return fail(ErrorCode::host_fault, fmt::format("{} candidates are ok where {} are honest", ok, kHonest));
}

// The cost of a hostile candidate of each kind, in microseconds.
Result<std::vector<std::string>> cost_of_each(EvaluationJob& job) {
  constexpr std::uint64_t kCount = 500;
  std::vector<std::string> notes;
  for (const Hostile& hostile : kHostile) {
    CandidateBatch batch;
    for (std::uint64_t i = 0; i < kCount; ++i) PETRI_TRY(add(batch, hostile, i));
    PETRI_TRY(const double seconds, processor_seconds_of([&]() -> Result<void> {
                PETRI_TRY(job.evaluate(batch, {}));
                return {};
              }));
    notes.push_back(fmt::format("{:6.1f} us  one that {}", seconds / kCount * 1e6, hostile.name));
  }
  return notes;
}

Result<Measurement> measure_evaluate_hostile() {
  PETRI_TRY(EvaluationJob job, guarded_job());
  PETRI_TRY(std::vector<std::string> notes, cost_of_each(job));
  std::vector<double> alone, together;
  for (std::uint64_t i = 0; i < kEvaluateHostileRepeats; ++i) {
    PETRI_TRY(const Batches batches, batches_from(kFirst + i * 2 * kHonest));
    PETRI_TRY(alone.emplace_back(), processor_seconds_of([&] { return job.evaluate_honest(batches.honest, {}); }));
    PETRI_TRY(together.emplace_back(), processor_seconds_of([&] { return evaluate_mixed(job, batches.mixed); }));
  }
  notes.push_back(fmt::format("{:6.1f} us  an honest one", median(alone) / kHonest * 1e6));
  return Measurement{.value = 100 * middle_of(alone) / middle_of(together), .reference = std::nullopt, .notes = notes};
}

}  // namespace

Benchmark evaluate_hostile_percent() {
  return {
      .name = "evaluate_hostile_percent",
      .unit = "%",
      .what =
          "honest candidates evaluated in a second when one in ten of all is hostile, against the honest ones alone; "
          "2,000 fuel and 256 KiB where honest ones need 17 and none, a candidate ends with its first failure; two "
          "workers (processor time)",
      .bar = ">= 80",
      .measure = measure_evaluate_hostile};
}

}  // namespace petri::bench
