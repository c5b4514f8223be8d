// The chart of how much fuel candidates used.
#pragma once

#include <string>

#include "report/fuel_histogram.h"

namespace petri {

// An <svg> of bars on a logarithmic axis, with its legend. Text when no candidate used any.
std::string fuel_chart(const FuelHistogram& fuel);

}  // namespace petri
