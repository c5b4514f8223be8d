// The cost of keeping an audit trail, and of querying it.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark audit_append_us();
Benchmark audit_query_ms();

}  // namespace petri::bench
