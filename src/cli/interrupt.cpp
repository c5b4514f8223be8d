#include "cli/interrupt.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <array>

#include "cli/exit_code.h"

namespace petri::cli {
namespace {

constexpr int kDrainMilliseconds = 10'000;
constexpr int kForever = -1;

struct Woken {
  int by_signal = 0;  // its number
  bool by_finish = false;
};

Woken wait_for(int signals, int finish, int milliseconds) {
  std::array<pollfd, 2> descriptors{
      {{.fd = signals, .events = POLLIN, .revents = 0}, {.fd = finish, .events = POLLIN, .revents = 0}}};
  int ready = -1;
  while (ready < 0) ready = ::poll(descriptors.data(), descriptors.size(), milliseconds);
  if (ready == 0) return {};
  if (descriptors[1].revents != 0) return {.by_finish = true};
  signalfd_siginfo taken{};
  if (::read(signals, &taken, sizeof taken) <= 0) return {.by_finish = true};
  return {.by_signal = static_cast<int>(taken.ssi_signo)};
}

}  // namespace

Interrupt::Interrupt() {
  sigset_t signals{};
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, &signals_before_);
  signals_ = ::signalfd(-1, &signals, SFD_CLOEXEC);
  finish_ = ::eventfd(0, EFD_CLOEXEC);
  if (signals_ >= 0 && finish_ >= 0) {
    watcher_ = std::thread([this] { watch(); });
  } else {  // Out of descriptors: signals still end the process, which is better than none doing anything.
    ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
  }
}

Interrupt::~Interrupt() {
  if (watcher_.joinable()) {
    ::eventfd_write(finish_, 1);
    watcher_.join();
    ::pthread_sigmask(SIG_SETMASK, &signals_before_, nullptr);
  }
  ::close(signals_);
  ::close(finish_);
}

void Interrupt::watch() {
  const Woken first = wait_for(signals_, finish_, kForever);
  if (first.by_signal == 0) return;
  signal_.store(first.by_signal);
  stop_.request_stop();
  if (wait_for(signals_, finish_, kDrainMilliseconds).by_finish) return;
  ::_exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace petri::cli
