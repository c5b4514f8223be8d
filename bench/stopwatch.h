// How long things take.
#pragma once

#include <cstddef>
#include <functional>

#include "bench/statistics.h"
#include "petri/result.h"

namespace petri::bench {

// The steady clock, and the processor time of all this process's threads together. Processor time leaves out what the
// machine did for others meanwhile: the better measure wherever one thread works.
double wall_seconds();
double processor_seconds();
// The processor time of this thread alone. A process with a limit on its processor time needs it: Linux counts the
// process's own time in ticks of some milliseconds then.
double thread_seconds();

// Seconds of the steady clock per call of `round`: it is called in batches of some milliseconds, and the median of the
// batches is taken, so that a neighbour on the machine disturbs some of them but not the answer.
Sampled seconds_per_call(const std::function<void()>& round);

// Something of a microsecond or more, done once.
using Round = std::function<Result<void>()>;

// Processor time of one round, and how long it took.
Result<double> processor_seconds_of(const Round& round);
Result<double> wall_seconds_of(const Round& round);
// The median of how long this many calls took, each by itself: what disturbs a few of them does not show.
Result<Sampled> median_seconds_of(std::size_t rounds, const Round& round);

struct Compared {
  Sampled value = 0;
  Sampled reference = 0;
};
// Medians of the processor time of both, done in turn so that both see the same weather. Once before that to warm up.
Result<Compared> compare(std::size_t repeats, const Round& value, const Round& reference);

}  // namespace petri::bench
