// Which of two scores is the better one.
#pragma once

#include <optional>

#include "petri/report.h"

namespace petri {

// NaN and no score are worse than any number, and no better than each other.
bool is_better(std::optional<double> score, std::optional<double> than, BestScore best);

}  // namespace petri
