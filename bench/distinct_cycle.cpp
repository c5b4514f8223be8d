#include "bench/distinct_cycle.h"

#include <array>
#include <memory>
#include <vector>

#include "bench/candidate_cycle.h"
#include "bench/candidate_cycles.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::uint32_t kDistinctCycleCalls = 20;
constexpr std::size_t kDistinctCycleRepeats = 15;

// The cycles of the batch, which outlives them; each has its own measurements, for one thread.
CycleRunner cycles_in_petri(const CandidateBatch& batch) {
  return
      [&batch, cycle = std::make_shared<CandidateCycle>()](std::uint64_t first, std::uint64_t count) -> Result<void> {
        for (std::uint64_t i = first; i < first + count; ++i)
          PETRI_TRY(cycle->run(batch.bytes_of(i), kDistinctCycleCalls));
        return {};
      };
}

Result<Measurement> measure_cycle(MakeBatch make) {
  constexpr std::uint64_t kBatch = 2'000;
  std::vector<double> values, references;
  for (std::size_t i = 0; i <= kDistinctCycleRepeats; ++i) {
    PETRI_TRY(const CandidateBatch batch, make(i * kBatch, kBatch));
    const CycleRunner ours = cycles_in_petri(batch), bare = cycles_in_bare_engine(batch, kDistinctCycleCalls);
    PETRI_TRY(const double value, processor_seconds_of([&] { return ours(0, kBatch); }));
    PETRI_TRY(const double reference, processor_seconds_of([&] { return bare(0, kBatch); }));
    if (i == 0) continue;  // to warm up
    values.push_back(value / kBatch * 1e6);
    references.push_back(reference / kBatch * 1e6);
  }
  return Measurement{.value = middle_of(values), .reference = median(references)};
}

Result<Measurement> measure_cycles_per_second() {
  constexpr std::uint64_t kBatch = 10'000;
  std::vector<double> values, references;
  for (std::size_t i = 0; i < kDistinctCycleRepeats; ++i) {
    PETRI_TRY(const CandidateBatch batch, CandidateBatch::of_mix(i * kThreads * kBatch, kThreads * kBatch));
    std::array<CycleRunner, kThreads> ours, bare;
    for (CycleRunner& runner : ours) runner = cycles_in_petri(batch);
    bare.fill(cycles_in_bare_engine(batch, kDistinctCycleCalls));
    PETRI_TRY(values.emplace_back(), cycles_per_second(ours, 0, kBatch));
    PETRI_TRY(references.emplace_back(), cycles_per_second(bare, 0, kBatch));
  }
  return Measurement{.value = middle_of(values), .reference = median(references)};
}

}  // namespace

Benchmark distinct_cycle_us() {
  return {.name = "distinct_cycle_us",
          .unit = "us",
          .what =
              "a distinct module of the mix (60 to 400 bytes): prepare, load, instantiate, 20 calls, drop, on one "
              "thread; reference: the bare interpreter (processor time)",
          .bar = "<= 12",
          .measure = [] { return measure_cycle(CandidateBatch::of_mix); }};
}

Benchmark distinct_cycle_straight_us() {
  return {.name = "distinct_cycle_straight_us",
          .unit = "us",
          .what = "the same with a module of about 100 bytes of straight-line code (processor time)",
          .bar = "",
          .measure = [] { return measure_cycle(CandidateBatch::of_wasm); }};
}

Benchmark distinct_cycles_per_second() {
  return {.name = "distinct_cycles_per_second",
          .unit = "/s",
          .what = "modules of the mix on two threads; reference: the bare interpreter on two threads (steady clock)",
          .bar = ">= 160000",
          .measure = measure_cycles_per_second};
}

}  // namespace petri::bench
