#include "compile_worker/nursery.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "compile_worker/compilation.h"
#include "compile_worker/jail.h"
#include "compiling/compile_protocol.h"
#include "compiling/process_descriptor.h"

namespace petri {
namespace {

constexpr int kNoProcess = 71;  // the exit code when the machine gives none

[[noreturn]] void be_child(int socket, pid_t parent, std::uint64_t memory_bytes_at_start) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(0);  // it died before it could be watched
  enter_compilation_jail();
  ::_exit(compile_one(socket, memory_bytes_at_start) ? 0 : 1);
}

// True when the child has ended, false when the host has hung up.
bool child_ends_first(int socket, pid_t child) {
  const int descriptor = open_process_descriptor(child);
  std::array<pollfd, 2> polls{pollfd{.fd = descriptor, .events = POLLIN, .revents = 0},
                              pollfd{.fd = socket, .events = POLLRDHUP, .revents = 0}};
  while (::poll(polls.data(), polls.size(), -1) < 0 && errno == EINTR) continue;
  if (descriptor >= 0) ::close(descriptor);
  return polls[0].revents != 0;
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return status;
}

}  // namespace

int serve(int socket) {
  const pid_t self = ::getpid();
  warm_up();
  const std::uint64_t memory_bytes_at_start = address_space_bytes();
  enter_nursery_jail();
  for (;;) {
    const pid_t child = ::fork();
    if (child < 0) return kNoProcess;
    if (child == 0) be_child(socket, self, memory_bytes_at_start);
    const bool ended = child_ends_first(socket, child);
    if (!ended) ::kill(child, SIGKILL);
    const int status = wait_for(child);
    if (!ended) return 0;
    if (WIFSIGNALED(status)) return kEndedBySignal + WTERMSIG(status);
    if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
  }
}

}  // namespace petri
