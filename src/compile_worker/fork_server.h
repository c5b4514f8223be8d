// The process that the host starts: it forks a child for each compilation, and ends with the host.
#pragma once

namespace petri {

// Serves the host at the other end of the socket until that hangs up; returns the exit code.
int serve(int socket);

}  // namespace petri
