// What can be wrong with the options of a breaker or of the quarantine, wherever they come from.
#pragma once

#include <vector>

#include "petri/containment.h"
#include "petri/error.h"

namespace petri {

// By field, such as "pause"; empty when nothing is.
std::vector<ErrorDetail> faults_of(const BreakerOptions& options);
std::vector<ErrorDetail> faults_of(const QuarantineOptions& options);

}  // namespace petri
