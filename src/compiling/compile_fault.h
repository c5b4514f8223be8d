// For tests: makes compilations go wrong where modules that the gate accepts do not.
#pragma once

#include "compiling/compile_protocol.h"

namespace petri {

// The next so many requests of this process ask for the fault; 0 takes an earlier wish back. Any thread.
void inject_compile_fault(CompileFault fault, int times = 1);

// How many requests have not asked for it yet.
int compile_faults_left();

// What the next request asks for; counts it.
CompileFault take_compile_fault();

}  // namespace petri
