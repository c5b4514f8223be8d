#include "compile_worker/fork_server.h"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "compile_worker/compilation.h"
#include "compile_worker/jail.h"
#include "compiling/compile_protocol.h"

namespace petri {
namespace {

constexpr int kNoProcess = 71;  // the exit code when the machine gives no process or no pipe
// One compiles or waits for a module, the other gets ready meanwhile.
constexpr std::size_t kChildren = 2;

// The right to read from the socket: a child has it while it holds the one byte that is passed around.
class Turn {
 public:
  bool open() { return ::pipe(ends_.data()) == 0 && pass(); }
  bool pass() const { return ::write(ends_[1], "", 1) == 1; }
  bool take() const {
    char byte = 0;
    return ::read(ends_[0], &byte, 1) == 1;
  }

 private:
  std::array<int, 2> ends_{};
};

// The common start of every child, and where it came from.
struct Origin {
  int socket;
  pid_t fork_server;
  Turn turn;
};

// The pages of the compiler are in memory, but a child has to find each of them once; it does so before its module
// comes.
[[noreturn]] void be_child(const Origin& origin) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != origin.fork_server) ::_exit(0);  // it died before it could be watched
  lower_priority();
  warm_up();
  if (!origin.turn.take() || !compile_one(origin.socket)) ::_exit(1);
  ::_exit(origin.turn.pass() ? 0 : 1);
}

struct Child {
  pid_t process = -1;
  int descriptor = -1;  // readable once it has ended
};

bool start(const Origin& origin, Child& child) {
  child.process = ::fork();
  if (child.process == 0) be_child(origin);
  if (child.process > 0) child.descriptor = open_process_descriptor(child.process);
  return child.process > 0 && child.descriptor >= 0;
}

int reap(Child& child) {
  int status = 0;
  while (::waitpid(child.process, &status, 0) < 0 && errno == EINTR) continue;
  ::close(child.descriptor);
  child = {};
  return status;
}

class ForkServer {
 public:
  explicit ForkServer(const Origin& origin) : origin_(origin) {}
  ~ForkServer() {
    for (const Child& child : children_) {
      if (child.process > 0) ::kill(child.process, SIGKILL);
    }
    for (Child& child : children_) {
      if (child.process > 0) reap(child);
    }
  }
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;

  int serve() {
    if (!start(origin_, children_.front())) return kNoProcess;
    if (is_asked() && !start(origin_, children_.back())) return kNoProcess;
    while (Child* const ended = wait()) {
      const int status = reap(*ended);
      if (WIFSIGNALED(status)) return kEndedBySignal + WTERMSIG(status);
      if (WEXITSTATUS(status) != 0) return WEXITSTATUS(status);
      if (!start(origin_, *ended)) return kNoProcess;
    }
    return 0;
  }

 private:
  // Waits for the first request: the second child is for a host that asks again, and many ask only once.
  bool is_asked() const {
    std::array<pollfd, 2> polls{{{.fd = origin_.socket, .events = POLLIN | POLLRDHUP, .revents = 0},
                                 {.fd = children_.front().descriptor, .events = POLLIN, .revents = 0}}};
    while (::poll(polls.data(), polls.size(), -1) < 0 && errno == EINTR) continue;
    return polls[0].revents == POLLIN;
  }
  // The child that has ended, or nothing once the host has hung up.
  Child* wait() {
    std::array<pollfd, kChildren + 1> polls{};
    for (std::size_t i = 0; i < kChildren; ++i)
      polls[i] = {.fd = children_[i].descriptor, .events = POLLIN, .revents = 0};
    polls[kChildren] = {.fd = origin_.socket, .events = POLLRDHUP, .revents = 0};
    while (::poll(polls.data(), polls.size(), -1) < 0 && errno == EINTR) continue;
    if (polls[kChildren].revents != 0) return nullptr;
    for (std::size_t i = 0; i < kChildren; ++i) {
      if (polls[i].revents != 0) return &children_[i];
    }
    return nullptr;
  }

  const Origin origin_;
  std::array<Child, kChildren> children_;
};

}  // namespace

int serve(int socket) {
  {
    const SmallAddressSpace small;
    warm_up();
  }
  Origin origin{.socket = socket, .fork_server = ::getpid(), .turn = {}};
  enter_fork_server_jail();
  if (!origin.turn.open()) return kNoProcess;
  return ForkServer(origin).serve();
}

}  // namespace petri
