// petri-compile-worker: compiles modules for a petri that has started it.
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

#include "compile_worker/fork_server.h"

int main() {
  int kind = 0;
  socklen_t size = sizeof(kind);
  if (::getsockopt(STDIN_FILENO, SOL_SOCKET, SO_TYPE, &kind, &size) != 0) {
    std::fputs("error: petri-compile-worker is started by petri itself and has no use of its own\n", stderr);
    return 2;
  }
  ::_exit(petri::serve(STDIN_FILENO));
}
