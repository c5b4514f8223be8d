#include "bench/host_costs/host_look.h"

#include <fmt/format.h>

#include "bench/host_costs/host_cost.h"

namespace petri::bench {
namespace {

Result<Measurement> measure() {
  const CrowdedFolder folder;
  Measurement worst;
  for (const HostCostCase& one : host_cost_cases()) {
    if (one.module == "math") continue;
    PETRI_TRY(const HostCost cost, measure_host_cost(one, {.folder = folder.path(), .runs = 3}));
    worst.value = larger(worst.value, cost.look_ms);
    worst.notes.push_back(
        fmt::format("{} {}: {:.2f} ms, {:.1f} ns per fuel", one.name, one.what, cost.look_ms, cost.ns_per_fuel));
  }
  return worst;
}

}  // namespace

Benchmark host_call_look_ms() {
  return {.name = "host_call_look_ms",
          .unit = "ms",
          .what = "longest time between two looks at the clock in any host function, called as it costs most",
          .bar = "<= 2",
          .measure = &measure};
}

}  // namespace petri::bench
