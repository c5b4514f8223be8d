#include "bench/candidate_cycles.h"

#include <thread>

#include "bench/stopwatch.h"
#include "engine/bare_engine.h"

namespace petri::bench {

CycleRunner cycles_in_bare_engine(const CandidateBatch& batch, std::uint32_t calls) {
  return [&batch, calls](std::uint64_t first, std::uint64_t count) -> Result<void> {
    for (std::uint64_t number = first; number < first + count; ++number) {
      PETRI_TRY(BareEngine engine, BareEngine::open(batch.bytes_of(number), {.function = "f"}));
      PETRI_TRY(engine.call_typed(calls));
    }
    return {};
  };
}

Result<double> cycles_per_second(const std::array<CycleRunner, kThreads>& runners, std::uint64_t first,
                                 std::uint64_t count) {
  std::array<Result<void>, kThreads> results;
  const double start = wall_seconds();
  {
    std::array<std::jthread, kThreads> threads;
    for (std::size_t i = 0; i < kThreads; ++i) {
      threads[i] = std::jthread([&, i] { results[i] = runners[i](first + i * count, count); });
    }
  }
  const double seconds = wall_seconds() - start;
  for (const auto& result : results) PETRI_TRY(result);
  return static_cast<double>(kThreads * count) / seconds;
}

}  // namespace petri::bench
