#include "bench/registry.h"

#include "bench/builder.h"
#include "bench/calls.h"
#include "bench/deadline.h"
#include "bench/distinct_cycle.h"
#include "bench/gate_cost.h"
#include "bench/load.h"
#include "bench/memory_growth.h"
#include "bench/meter_ratio.h"
#include "bench/prepare.h"
#include "bench/program_size.h"

namespace petri::bench {

const std::vector<Benchmark>& benchmarks() {
  static const std::vector<Benchmark> all{
      million_modules_growth_mib(),
      prepare_us(),
      distinct_cycle_us(),
      distinct_cycles_per_second(),
      call_compiled_ns(),
      call_interpreted_ns(),
      meter_ratio_compiled(),
      meter_ratio_interpreted(),
      meter_ratio_recursion_compiled(),
      meter_ratio_recursion_interpreted(),
      deadline_overshoot_compiled_ms(),
      deadline_overshoot_interpreted_ms(),
      load_interpreted_ms_per_mib(),
      load_compiled_ms_per_mib(),
      five_line_program_mib(),
      gate_cost_ratio_interpreted(),
      gate_cost_ratio_compiled(),
      builder_us(),
  };
  return all;
}

}  // namespace petri::bench
