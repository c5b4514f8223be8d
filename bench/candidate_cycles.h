// Many candidates, each loaded, called and dropped, one after another, on one thread or on two at once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "bench/candidate_batch.h"
#include "petri/result.h"

namespace petri::bench {

constexpr std::size_t kThreads = 2;

// Runs `count` candidates, numbered from `first` on. One thread at a time.
using CycleRunner = std::function<Result<void>(std::uint64_t first, std::uint64_t count)>;

// The cycles of the batch, which outlives them: each candidate is loaded, instantiated, called `calls` times and
// dropped, without meter and limits.
CycleRunner cycles_in_bare_engine(const CandidateBatch& batch, std::uint32_t calls);

// How many candidates both threads together run in a second of the steady clock, `count` each.
Result<double> cycles_per_second(const std::array<CycleRunner, kThreads>& runners, std::uint64_t first,
                                 std::uint64_t count);

}  // namespace petri::bench
