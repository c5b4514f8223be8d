// A clock that was moved by hand, for tests.
#pragma once

#include "petri/runtime.h"

namespace petri {

// Starts the work that has become due.
void clock_moved(Runtime& runtime);

}  // namespace petri
