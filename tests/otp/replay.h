// A world without threads in which petri's supervisors live through a trace.
#pragma once

#include <string>

#include "trace.h"

namespace petri::otp {

// A log of what happened, a line each: starts, failed starts and orderly stops as they come; after each step the
// answers to requests, and the tree.
std::string replay(const Trace& trace);

}  // namespace petri::otp
