#include "bench/memory_growth.h"

#include "bench/candidate_cycle.h"
#include "bench/resident_memory.h"
#include "bench/small_module.h"

namespace petri::bench {
namespace {

constexpr std::uint64_t kWarmUp = 10'000, kModules = 1'000'000;
// Few: what could be left behind is left by loading.
constexpr std::uint32_t kMemoryGrowthCalls = 2;

Result<void> run(CandidateCycle& cycle, SmallModule& modules, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t number = first; number < first + count; ++number)
    PETRI_TRY(cycle.run(modules.numbered(number), kMemoryGrowthCalls));
  return {};
}

Result<Measurement> measure_memory_growth() {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  CandidateCycle cycle;
  PETRI_TRY(run(cycle, modules, 0, kWarmUp));
  PETRI_TRY(const double before, resident_mib());
  PETRI_TRY(run(cycle, modules, kWarmUp, kModules));
  PETRI_TRY(const double after, resident_mib());
  return Measurement{.value = after - before, .reference = std::nullopt};
}

}  // namespace

Benchmark million_modules_growth_mib() {
  return {
      .name = "million_modules_growth_mib",
      .unit = "MiB",
      .what = "growth of resident memory over a million distinct modules one after another, after 10,000 to warm up",
      .bar = "<= 8",
      .measure = measure_memory_growth};
}

}  // namespace petri::bench
