// Very many that live at the same time: what each takes, and what it costs to look at them.
#pragma once

#include "bench/registry.h"

namespace petri::bench {

Benchmark live_instance_kib();
Benchmark live_sandbox_kib();
Benchmark info_us();
Benchmark list_page_ms();
Benchmark million_live_sandboxes_gib();

}  // namespace petri::bench
