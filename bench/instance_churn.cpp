#include "bench/instance_churn.h"

#include <array>
#include <vector>

#include "bench/candidate_cycles.h"
#include "bench/compiled_instance.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr std::uint64_t kInstanceChurnBatch = 40'000;
constexpr std::size_t kInstanceChurnRepeats = 15;

struct Rates {
  Sampled one_thread = 0;
  Sampled two_threads = 0;
};

// Medians, measured in turn.
Result<Rates> measure_rates() {
  PETRI_TRY(const CompiledGuest guest, CompiledGuest::load());
  const CycleRunner churn = [&guest](std::uint64_t, std::uint64_t count) -> Result<void> {
    for (std::uint64_t i = 0; i < count; ++i) PETRI_TRY(guest.start());
    return {};
  };
  std::array<CycleRunner, kThreads> both;
  both.fill(churn);
  std::vector<double> alone, together;
  for (std::size_t i = 0; i < kInstanceChurnRepeats; ++i) {
    PETRI_TRY(const double seconds, wall_seconds_of([&churn] { return churn(0, kInstanceChurnBatch); }));
    alone.push_back(static_cast<double>(kInstanceChurnBatch) / seconds);
    PETRI_TRY(together.emplace_back(), cycles_per_second(both, 0, kInstanceChurnBatch));
  }
  return Rates{.one_thread = middle_of(std::move(alone)), .two_threads = middle_of(std::move(together))};
}

Result<Measurement> measure_rate() {
  PETRI_TRY(const Rates rates, measure_rates());
  return Measurement{.value = rates.two_threads, .reference = std::nullopt};
}

Result<Measurement> measure_churn_scaling() {
  PETRI_TRY(const Rates rates, measure_rates());
  return Measurement{.value = rates.two_threads / rates.one_thread, .reference = std::nullopt};
}

}  // namespace

Benchmark churn_per_second() {
  return {.name = "churn_per_second",
          .unit = "/s",
          .what = "instantiate, call and drop a loaded compiled module with one page, on two threads (steady clock)",
          .bar = ">= 300000",
          .measure = measure_rate};
}

Benchmark churn_scaling() {
  return {.name = "churn_scaling",
          .unit = "x",
          .what = "the same on two threads, divided by one thread (steady clock)",
          .bar = ">= 1.6",
          .measure = measure_churn_scaling};
}

}  // namespace petri::bench
