// Programs of ordinary toolchains, from the corpus of `make corpus`: how soon they answer, and how many the gate takes.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark load_program_interpreted_ms();
Benchmark start_program_cached_ms();
Benchmark corpus_accepted_percent();

}  // namespace petri::bench
