#include "bench/meter_ratio.h"

#include <fmt/format.h>

#include <algorithm>

#include "bench/kernels.h"
#include "bench/loaded_module.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "engine/bare_engine.h"
#include "engine/loadable_artifact.h"

namespace petri::bench {
namespace {

constexpr double kRoundSeconds = 0.008;
constexpr std::size_t kMeterRatioRepeats = 15;

// One kernel in both forms; `times` is how often a round does its work.
struct Contest {
  LiveFunction metered;
  BareEngine fuelled;
  ValueType result;
  std::uint64_t times = 1;
};

Result<Contest> open(const Kernel& kernel, Tier tier) {
  PETRI_TRY(const ArtifactPtr artifact, Artifact::from_wat(kernel.text, kModuleBytesMax));
  PETRI_TRY(const LoadedModule module, load_module(artifact->bytes(), tier));
  PETRI_TRY(LiveFunction metered, LiveFunction::open(module, "run"));
  PETRI_TRY(BareEngine fuelled,
            BareEngine::open(artifact->bytes(), {.tier = tier, .own_fuel = true, .function = "run"}));
  const ValueType result = artifact->find_export("run")->signature.results.at(0);
  return Contest{.metered = std::move(metered), .fuelled = std::move(fuelled), .result = result};
}

// Both came to the same number, or one of them did other work.
Result<void> check_agreement(Contest& contest, const Kernel& kernel) {
  std::uint64_t ours = 1, theirs = 1;
  PETRI_TRY(contest.metered.call({&ours, 1}));
  PETRI_TRY(contest.fuelled.call({&theirs, 1}));
  if (Value::from_bits(contest.result, ours) == Value::from_bits(contest.result, theirs)) return {};
  return fail(ErrorCode::engine_fault,
              fmt::format("the kernel {} gives another value when it is metered", kernel.name));
}

// Finds how many times fill a round.
Result<void> calibrate(Contest& contest) {
  for (double seconds = 0; seconds < kRoundSeconds / 2; contest.times *= 2) {
    std::uint64_t slot = contest.times;
    PETRI_TRY(seconds, processor_seconds_of([&] { return contest.fuelled.call({&slot, 1}); }));
  }
  return {};
}

Result<Sampled> ratio_of(const Kernel& kernel, Tier tier) {
  PETRI_TRY(Contest contest, open(kernel, tier));
  PETRI_TRY(check_agreement(contest, kernel));
  PETRI_TRY(calibrate(contest));
  const auto round = [&contest](auto& engine) {
    return [&]() -> Result<void> {
      std::uint64_t slot = contest.times;
      return engine.call({&slot, 1});
    };
  };
  PETRI_TRY(const Compared seconds, compare(kMeterRatioRepeats, round(contest.metered), round(contest.fuelled)));
  return seconds.value / seconds.reference;
}

enum class Recursion : std::uint8_t { without, only };

Result<Measurement> measure(Tier tier, Recursion recursion) {
  Measurement measured{.reference = 1};
  std::vector<double> ratios;
  double spreads = 0;
  for (const Kernel& kernel : kernels()) {
    if (is_recursive(kernel) != (recursion == Recursion::only)) continue;
    PETRI_TRY(const Sampled ratio, ratio_of(kernel, tier));
    ratios.push_back(ratio);
    spreads += ratio.spread.value_or(0);
    measured.notes.push_back(fmt::format("{:.3f} +-{:.1f} % {}", ratio, ratio.spread.value_or(0) * 100, kernel.name));
  }
  measured.value = {geometric_mean(ratios), spreads / static_cast<double>(ratios.size())};
  return measured;
}

Benchmark meter_ratio(Tier tier, std::string bar) {
  return {.name = fmt::format("meter_ratio_{}", name_of(tier)),
          .unit = "x",
          .what = fmt::format("{} code that petri meters against the same engine with its own fuel, geometric mean of "
                              "{} kernels (processor time)",
                              name_of(tier), kernels().size() - 1),
          .bar = std::move(bar),
          .measure = [tier] { return measure(tier, Recursion::without); }};
}

Benchmark meter_ratio_recursion(Tier tier) {
  return {.name = fmt::format("meter_ratio_recursion_{}", name_of(tier)),
          .unit = "x",
          .what = fmt::format("the same for {} recursion, which pays for the call depth too (processor time)",
                              name_of(tier)),
          .bar = "",
          .measure = [tier] { return measure(tier, Recursion::only); }};
}

}  // namespace

Benchmark meter_ratio_compiled() { return meter_ratio(Tier::compiled, "<= 1.08"); }
Benchmark meter_ratio_interpreted() { return meter_ratio(Tier::interpreted, "<= 1.4"); }
Benchmark meter_ratio_recursion_compiled() { return meter_ratio_recursion(Tier::compiled); }
Benchmark meter_ratio_recursion_interpreted() { return meter_ratio_recursion(Tier::interpreted); }

}  // namespace petri::bench
