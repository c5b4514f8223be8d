// Many short lives, one after another, on one thread or on two at once.
#pragma once

#include <array>
#include <cstdint>
#include <functional>

#include "bench/candidate_batch.h"
#include "petri/result.h"

namespace petri::bench {

constexpr std::size_t kThreads = 2;

// So many candidates, numbered on from `first`. One thread at a time.
using Lives = std::function<Result<void>(std::uint64_t first, std::uint64_t count)>;

// Those of the batch, which outlives them: each is loaded, instantiated, called `calls` times and dropped, without
// meter and limits.
Lives lives_in_bare_engine(const CandidateBatch& batch, std::uint32_t calls);

// How many lives both threads together lead in a second of the steady clock, `count` each.
Result<double> lives_per_second(const std::array<Lives, kThreads>& lives, std::uint64_t first, std::uint64_t count);

}  // namespace petri::bench
