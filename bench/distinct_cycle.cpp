#include "bench/distinct_cycle.h"

#include <array>
#include <memory>
#include <vector>

#include "bench/candidate_life.h"
#include "bench/lives.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::uint32_t kDistinctCycleCalls = 20;
constexpr std::size_t kDistinctCycleRepeats = 15;

Result<Lives> lives_in_petri() {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  auto life = std::make_shared<CandidateLife>(std::move(modules));
  return [life](std::uint64_t first, std::uint64_t count) -> Result<void> {
    for (std::uint64_t number = first; number < first + count; ++number)
      PETRI_TRY(life->live(number, kDistinctCycleCalls));
    return {};
  };
}

Result<Measurement> measure_cycle() {
  constexpr std::uint64_t kBatch = 2'000;
  PETRI_TRY(const Lives ours, lives_in_petri());
  PETRI_TRY(const Lives bare, lives_in_bare_engine(kDistinctCycleCalls));
  std::uint64_t first = 0;
  const auto round = [&first](const Lives& lives) { return [&] { return lives(first += kBatch, kBatch); }; };
  PETRI_TRY(const Compared seconds, compare(kDistinctCycleRepeats, round(ours), round(bare)));
  return Measurement{.value = seconds.value / kBatch * 1e6, .reference = seconds.reference / kBatch * 1e6};
}

Result<Measurement> measure_cycles_per_second() {
  constexpr std::uint64_t kBatch = 10'000;
  std::array<Lives, kThreads> ours, bare;
  for (std::size_t i = 0; i < kThreads; ++i) {
    PETRI_TRY(ours[i], lives_in_petri());
    PETRI_TRY(bare[i], lives_in_bare_engine(kDistinctCycleCalls));
  }
  std::vector<double> values, references;
  for (std::size_t i = 0; i < kDistinctCycleRepeats; ++i) {
    const std::uint64_t first = i * kThreads * kBatch;
    PETRI_TRY(values.emplace_back(), lives_per_second(ours, first, kBatch));
    PETRI_TRY(references.emplace_back(), lives_per_second(bare, first, kBatch));
  }
  return Measurement{.value = median(values), .reference = median(references)};
}

}  // namespace

Benchmark distinct_cycle_us() {
  return {.name = "distinct_cycle_us",
          .unit = "us",
          .what =
              "a distinct module of about 100 bytes: prepare, load, instantiate, 20 calls, drop, on one thread; "
              "reference: the bare interpreter (processor time)",
          .bar = "<= 12",
          .measure = measure_cycle};
}

Benchmark distinct_cycles_per_second() {
  return {.name = "distinct_cycles_per_second",
          .unit = "/s",
          .what = "the same on two threads; reference: the bare interpreter on two threads (steady clock)",
          .bar = ">= 160000",
          .measure = measure_cycles_per_second};
}

}  // namespace petri::bench
