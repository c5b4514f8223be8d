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

enum class Woken { by_signal, by_finish, by_time };

Woken wait_for(int signals, int finish, int milliseconds) {
  std::array<pollfd, 2> descriptors{
      {{.fd = signals, .events = POLLIN, .revents = 0}, {.fd = finish, .events = POLLIN, .revents = 0}}};
  int ready = -1;
  while (ready < 0) ready = ::poll(descriptors.data(), descriptors.size(), milliseconds);
  if (ready == 0) return Woken::by_time;
  if (descriptors[1].revents != 0) return Woken::by_finish;
  signalfd_siginfo taken{};
  return ::read(signals, &taken, sizeof taken) > 0 ? Woken::by_signal : Woken::by_finish;
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
  } else {  // Out of descriptors: signals go on ending the process, which is better than none doing anything.
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
  if (wait_for(signals_, finish_, kForever) != Woken::by_signal) return;
  signalled_.store(true);
  stop_.request_stop();
  if (wait_for(signals_, finish_, kDrainMilliseconds) == Woken::by_finish) return;
  ::_exit(static_cast<int>(ExitCode::interrupted));
}

}  // namespace petri::cli
