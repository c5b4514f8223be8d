// For tests: makes compilations go wrong where modules that the gate accepts do not.
#pragma once

#include "compiling/compile_protocol.h"

namespace petri {

// This many of the next requests of this process ask for the fault; 0 cancels an earlier order. Any thread.
void inject_compile_fault(CompileFault fault, int times = 1);

// How many requests have not asked for it yet.
int compile_faults_left();

// The fault that the next request asks for; the request is counted.
CompileFault take_compile_fault();

}  // namespace petri
