#include "bench/reload.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

#include "bench/sandbox_guest.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "bench/versioned_guest.h"
#include "engine/bare_engine.h"

namespace petri::bench {
namespace {

constexpr std::size_t kSwaps = 10'000;
constexpr std::size_t kLoadsInterpreted = 500;
constexpr std::size_t kLoadsCompiled = 100;

// One process of version 1, and version 2 beside it.
struct TwoVersions {
  std::unique_ptr<Runtime> runtime;
  Sandbox sandbox;

  static Result<TwoVersions> create(Tier tier) {
    PETRI_TRY(const ArtifactPtr first, counting_version(1));
    PETRI_TRY(const ArtifactPtr second, counting_version(2));
    PETRI_TRY(auto runtime, two_worker_runtime());
    PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(sandbox_of("swapped", first, tier)));
    PETRI_TRY(must_count(sandbox, 1));
    PETRI_TRY(sandbox.stage(kVersioned, Source::artifact(second)));
    return TwoVersions{std::move(runtime), std::move(sandbox)};
  }
};

Result<Sampled> swap_seconds(Tier tier) {
  PETRI_TRY(TwoVersions two, TwoVersions::create(tier));
  std::uint64_t next = 2;
  const auto swap = [&]() -> Result<void> {
    PETRI_TRY(two.sandbox.activate(kVersioned, next));
    next = 3 - next;
    return {};
  };
  PETRI_TRY(const Sampled seconds, median_seconds_of(kSwaps, swap));
  PETRI_TRY(must_count(two.sandbox, 2));
  return seconds;
}

Result<Sampled> rollback_seconds(Tier tier) {
  PETRI_TRY(TwoVersions two, TwoVersions::create(tier));
  std::vector<double> samples;
  for (std::size_t i = 0; i < kSwaps; ++i) {
    PETRI_TRY(two.sandbox.activate(kVersioned, 2));
    PETRI_TRY(samples.emplace_back(), wall_seconds_of([&]() -> Result<void> {
                PETRI_TRY(two.sandbox.rollback(kVersioned));
                return {};
              }));
  }
  PETRI_TRY(must_count(two.sandbox, 2));
  return middle_of(std::move(samples));
}

Result<Measurement> slower_tier(Result<Sampled> (*seconds_in)(Tier)) {
  PETRI_TRY(const Sampled interpreted, seconds_in(Tier::interpreted));
  PETRI_TRY(const Sampled compiled, seconds_in(Tier::compiled));
  return Measurement{
      .value = larger(interpreted, compiled) * 1e6,
      .reference = std::nullopt,
      .notes = {fmt::format("interpreted {:.1f} us, compiled {:.1f} us", interpreted * 1e6, compiled * 1e6)}};
}

Result<Measurement> measure_swap() { return slower_tier(swap_seconds); }
Result<Measurement> measure_rollback() { return slower_tier(rollback_seconds); }

// Loads and instantiates the same kind of module in the engine itself, on this thread.
Result<double> bare_seconds(std::span<const std::uint8_t> wasm, Tier tier) {
  return wall_seconds_of([&]() -> Result<void> {
    PETRI_TRY(BareEngine::open(wasm, {.tier = tier, .function = "next"}));
    return {};
  });
}

// Loads new code, never seen before, from bytes.
Result<Measurement> measure_load(Tier tier, std::size_t loads, double per_second) {
  PETRI_TRY(LargeVersions versions, LargeVersions::create());
  PETRI_TRY(const auto runtime, two_worker_runtime());
  SandboxSpec spec{.id = "loaded", .modules = {{std::string(kVersioned), Source::wasm(versions.numbered(0))}}};
  spec.tier = tier;
  PETRI_TRY(Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
  PETRI_TRY(must_count(sandbox, 1));
  std::uint64_t number = 0;
  std::vector<double> samples, bare;
  for (std::size_t i = 0; i < loads; ++i) {
    PETRI_TRY(bare.emplace_back(), bare_seconds(versions.numbered(++number), tier));
    const Source next = Source::wasm(versions.numbered(++number));
    PETRI_TRY(samples.emplace_back(), wall_seconds_of([&]() -> Result<void> {
                PETRI_TRY(sandbox.reload(kVersioned, next));
                return {};
              }));
  }
  PETRI_TRY(must_count(sandbox, 2));
  return Measurement{.value = middle_of(std::move(samples)) * per_second,
                     .reference = median(std::move(bare)) * per_second,
                     .notes = {fmt::format("the module has {} bytes", versions.bytes())}};
}

}  // namespace

Benchmark swap_us() {
  return {.name = "swap_us",
          .unit = "us",
          .what =
              "activate another version of an idle process, code loaded, state described; median of 10,000, the slower "
              "tier (steady clock)",
          .bar = "<= 50",
          .measure = measure_swap};
}

Benchmark rollback_us() {
  return {.name = "rollback_us",
          .unit = "us",
          .what =
              "roll an idle process back to the version before, state described; median of 10,000, the slower tier "
              "(steady clock)",
          .bar = "<= 50",
          .measure = measure_rollback};
}

Benchmark swap_load_interpreted_us() {
  return {
      .name = "swap_load_interpreted_us",
      .unit = "us",
      .what =
          "reload an idle process with 10 KB of wasm nobody has seen, interpreted; median of 500; reference: the bare "
          "interpreter loads and instantiates it (steady clock)",
      .bar = "<= 700",
      .measure = [] { return measure_load(Tier::interpreted, kLoadsInterpreted, 1e6); }};
}

Benchmark swap_load_compiled_ms() {
  return {.name = "swap_load_compiled_ms",
          .unit = "ms",
          .what =
              "reload an idle process with 10 KB of wasm nobody has seen, compiled; median of 100; reference: the bare "
              "compiler loads and instantiates it, on one thread (steady clock)",
          .bar = "<= 18",
          .measure = [] { return measure_load(Tier::compiled, kLoadsCompiled, 1e3); }};
}

}  // namespace petri::bench
