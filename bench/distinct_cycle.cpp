#include "bench/distinct_cycle.h"

#include <array>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "bench/candidate_life.h"
#include "bench/loaded_module.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "engine/bare_engine.h"

namespace petri::bench {
namespace {

constexpr std::uint32_t kCalls = 20;
constexpr std::size_t kRepeats = 15;
constexpr std::size_t kThreads = 2;

// So many candidates, numbered on from `first`.
using Lives = std::function<Result<void>(std::uint64_t first, std::uint64_t count)>;

Result<Lives> lives_in_petri() {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  auto life = std::make_shared<CandidateLife>(std::move(modules));
  return [life](std::uint64_t first, std::uint64_t count) -> Result<void> {
    for (std::uint64_t number = first; number < first + count; ++number) PETRI_TRY(life->live(number, kCalls));
    return {};
  };
}

Result<Lives> lives_in_bare_engine() {
  PETRI_TRY(SmallModule modules, SmallModule::create());
  return [modules](std::uint64_t first, std::uint64_t count) mutable -> Result<void> {
    for (std::uint64_t number = first; number < first + count; ++number) {
      PETRI_TRY(BareEngine engine, BareEngine::open(modules.numbered(number), {.function = "f"}));
      PETRI_TRY(engine.call_typed(kCalls));
    }
    return {};
  };
}

Result<Measurement> measure_cycle() {
  constexpr std::uint64_t kBatch = 2'000;
  PETRI_TRY(const Lives ours, lives_in_petri());
  PETRI_TRY(const Lives bare, lives_in_bare_engine());
  std::uint64_t first = 0;
  const auto round = [&first](const Lives& lives) { return [&] { return lives(first += kBatch, kBatch); }; };
  PETRI_TRY(const Compared seconds, compare(kRepeats, round(ours), round(bare)));
  return Measurement{.value = seconds.value / kBatch * 1e6, .reference = seconds.reference / kBatch * 1e6};
}

// All threads' lives a second of the steady clock.
Result<double> lives_per_second(const std::array<Lives, kThreads>& lives, std::uint64_t first, std::uint64_t count) {
  std::array<Result<void>, kThreads> results;
  const double start = wall_seconds();
  {
    std::array<std::jthread, kThreads> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads[i] = std::jthread([&, i] { results[i] = lives[i](first + i * count, count); });
    }
  }
  const double seconds = wall_seconds() - start;
  for (const auto& result : results) PETRI_TRY(result);
  return static_cast<double>(kThreads * count) / seconds;
}

Result<Measurement> measure_cycles_per_second() {
  constexpr std::uint64_t kBatch = 10'000;
  std::array<Lives, kThreads> ours, bare;
  for (std::size_t i = 0; i < kThreads; ++i) {
    PETRI_TRY(ours[i], lives_in_petri());
    PETRI_TRY(bare[i], lives_in_bare_engine());
  }
  std::vector<double> values, references;
  for (std::size_t i = 0; i < kRepeats; ++i) {
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
