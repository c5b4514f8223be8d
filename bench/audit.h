// What it costs to keep an audit trail, and to ask it.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark audit_append_us();
Benchmark audit_query_ms();

}  // namespace petri::bench
