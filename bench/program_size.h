// How large a program becomes that uses petri.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark five_line_program_mib();

}  // namespace petri::bench
