#include "compiling/worker_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "compiling/compile_protocol.h"

namespace petri {
namespace {

using std::chrono::milliseconds;

// A worker answers a hang-up at once; one that does not is killed.
constexpr milliseconds kHangUpMax{2'000};

Error cannot_start(const std::string& path, int why) {
  Error error{
      .code = ErrorCode::host_fault,
      .message = fmt::format("the compile worker {} could not be started: {} (error {})", path, ::strerror(why), why),
      .details = {}};
  return std::move(error).with("component", "compile_worker");
}

// Owns what posix_spawn takes.
class SpawnSettings {
 public:
  explicit SpawnSettings(int socket) {
    ::posix_spawn_file_actions_init(&actions_);
    ::posix_spawnattr_init(&attributes_);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    ::posix_spawn_file_actions_adddup2(&actions_, socket, STDIN_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDIN_FILENO + 1);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);  // a Ctrl-C at the terminal is not for it
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  int spawn(const std::string& path, pid_t& process) const {
    std::string name = path;
    std::array<char*, 2> arguments{name.data(), nullptr};
    // The allocator takes its address space in pieces of this size. A gigabyte, as else, is all that a compilation may
    // have, however little of it is used.
    std::string pieces = "MIMALLOC_ARENA_RESERVE=16MiB";
    std::array<char*, 2> environment{pieces.data(), nullptr};
    return ::posix_spawn(&process, path.c_str(), &actions_, &attributes_, arguments.data(), environment.data());
  }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

// Bytes over a socket that never block beyond a deadline.
class Talk {
 public:
  Talk(int socket, SteadyTime deadline) : socket_(socket), deadline_(deadline) {}

  bool send(const void* data, std::size_t size) {
    return move(POLLOUT, size, [&](std::size_t done) {
      return ::send(socket_, static_cast<const char*>(data) + done, size - done, MSG_DONTWAIT | MSG_NOSIGNAL);
    });
  }
  bool receive(void* data, std::size_t size) {
    return move(POLLIN, size, [&](std::size_t done) {
      return ::recv(socket_, static_cast<char*>(data) + done, size - done, MSG_DONTWAIT);
    });
  }
  bool timed_out() const { return timed_out_; }

 private:
  template <typename Step>
  bool move(short ready, std::size_t size, Step step) {
    for (std::size_t done = 0; done < size;) {
      const ssize_t moved = step(done);
      if (moved > 0) {
        done += static_cast<std::size_t>(moved);
      } else if (moved == 0 || !may_try_again() || !wait(ready)) {
        return false;
      }
    }
    return true;
  }
  static bool may_try_again() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }
  bool wait(short ready) {
    const auto time_left = std::chrono::ceil<milliseconds>(deadline_ - std::chrono::steady_clock::now());
    pollfd poll{.fd = socket_, .events = ready, .revents = 0};
    const int ms = static_cast<int>(std::clamp<std::int64_t>(time_left.count(), 0, 1 << 30));
    const int found = ::poll(&poll, 1, ms);
    timed_out_ = found == 0;
    return found > 0 || (found < 0 && errno == EINTR);
  }

  const int socket_;
  const SteadyTime deadline_;
  bool timed_out_ = false;
};

Exchange exchange_over(Talk& talk, const CompileRequest& request, std::span<const std::uint8_t> module) {
  Exchange exchange;
  CompileReply reply;
  if (!talk.send(&request, sizeof(request)) || !talk.send(module.data(), module.size()) ||
      !talk.receive(&reply, sizeof(reply))) {
    return exchange;
  }
  exchange.end = ExchangeEnd::garbled;
  if (reply.mark != kReplyMark || reply.bytes > request.memory_bytes_max) return exchange;
  exchange.status = reply.status;
  exchange.bytes.resize(reply.bytes);
  exchange.end = talk.receive(exchange.bytes.data(), exchange.bytes.size()) ? ExchangeEnd::answered : ExchangeEnd::lost;
  return exchange;
}

}  // namespace

Result<std::unique_ptr<WorkerProcess>> WorkerProcess::start(const std::string& path) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0) return fail(cannot_start(path, errno));
  pid_t process = 0;
  const int why = SpawnSettings(sockets[1]).spawn(path, process);
  ::close(sockets[1]);
  if (why != 0) {
    ::close(sockets[0]);
    return fail(cannot_start(path, why));
  }
  const int descriptor = open_process_descriptor(process);
  return std::unique_ptr<WorkerProcess>(new WorkerProcess({process, sockets[0], descriptor}));
}

WorkerProcess::~WorkerProcess() {
  hang_up();
  if (!reap(kHangUpMax)) {
    ::kill(ids_.process, SIGKILL);
    while (!status_ && ::waitpid(ids_.process, nullptr, 0) < 0 && errno == EINTR) continue;
  }
  live_.reset();  // before the numbers of its descriptors can be somebody else's
  ::close(ids_.socket);
  if (ids_.process_descriptor >= 0) ::close(ids_.process_descriptor);
}

// The children of a worker that was killed still hold its end of the socket, so the process is asked about too.
bool WorkerProcess::is_there() const {
  pollfd poll{.fd = ids_.socket, .events = POLLRDHUP, .revents = 0};
  siginfo_t about{};
  const bool has_ended =
      ::waitid(P_PID, static_cast<id_t>(ids_.process), &about, WEXITED | WNOHANG | WNOWAIT) != 0 || about.si_pid != 0;
  return !hung_up_ && !has_ended && ::poll(&poll, 1, 0) == 0;
}

Exchange WorkerProcess::exchange(const CompileRequest& request, std::span<const std::uint8_t> module,
                                 SteadyTime deadline, const std::stop_token& stop) {
  // Wakes this thread up, and ends the worker at the same time.
  const std::stop_callback on_stop(stop, [socket = ids_.socket] { ::shutdown(socket, SHUT_RDWR); });
  Talk talk(ids_.socket, deadline);
  Exchange exchange = exchange_over(talk, request, module);
  if (exchange.end != ExchangeEnd::lost) return exchange;
  if (talk.timed_out()) exchange.end = ExchangeEnd::timed_out;
  if (stop.stop_requested()) exchange.end = ExchangeEnd::stopped;
  return exchange;
}

// Not only closed: a child that this process has forked may have the same socket.
void WorkerProcess::hang_up() {
  if (hung_up_) return;
  ::shutdown(ids_.socket, SHUT_RDWR);
  hung_up_ = std::chrono::steady_clock::now();
}

std::optional<int> WorkerProcess::reap(milliseconds wait) {
  if (status_) return status_;
  if (hung_up_ && std::chrono::steady_clock::now() - *hung_up_ > kHangUpMax) ::kill(ids_.process, SIGKILL);
  if (wait.count() > 0 && ids_.process_descriptor >= 0) {
    pollfd poll{.fd = ids_.process_descriptor, .events = POLLIN, .revents = 0};
    ::poll(&poll, 1, static_cast<int>(wait.count()));
  }
  int status = 0;
  const pid_t reaped = ::waitpid(ids_.process, &status, WNOHANG);
  // Somebody else may have reaped it: a program that waits for all its children.
  if (reaped == ids_.process) status_ = status;
  if (reaped < 0 && errno == ECHILD) status_ = 0;
  return status_;
}

}  // namespace petri
