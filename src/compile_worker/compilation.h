// One compilation in a process of its own: a request in, an answer out.
#pragma once

#include <cstdint>

namespace petri {

// Reads one request from the socket, compiles and answers; false when the host has hung up before. Between the host's
// own words and the module that follows them the process jails itself, and limits itself to what the request allows.
bool compile_one(int socket);

// Compiles a module without content and throws it away, so that what every compilation needs is there afterwards.
void warm_up();

}  // namespace petri
