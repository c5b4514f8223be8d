#include "engine/instance/instance.h"

namespace petri {

Result<CallSeries> Instance::call_series(std::uint32_t export_index, const Budget& budget, void* context,
                                         std::span<std::uint64_t> slots, std::size_t calls, std::uint64_t fuel_max) {
  CallSeries series;
  const std::size_t slots_each = calls == 0 ? 0 : slots.size() / calls;
  for (std::size_t number = 0; number < calls && series.fuel_used < fuel_max; ++number) {
    PETRI_TRY(series.end, call(export_index, budget, context, slots.subspan(number * slots_each, slots_each)));
    if (series.end.kind != EndKind::returned) break;
    ++series.returned;
    series.fuel_used += series.end.fuel_used;
  }
  return series;
}

}  // namespace petri
