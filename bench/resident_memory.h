// How much memory this process really has.
#pragma once

#include "petri/result.h"

namespace petri::bench {

// Resident now, after giving back what the C library's allocator keeps.
Result<double> resident_mib();

}  // namespace petri::bench
