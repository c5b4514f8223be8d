// The built-in scorer.
#pragma once

#include <span>

#include "petri/evaluate.h"

namespace petri {

// The sum of squared differences between the first value of each case and its target. NaN, and always the same one,
// when a case is not ok or was not run, when there is no value, or when one of them is NaN.
double squared_error(const Record& record, std::span<const double> targets);

// Replaces any NaN by the one that every machine and compiler agrees on.
double with_one_nan(double number);

}  // namespace petri
