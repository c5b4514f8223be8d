#include "cli/shell/session_signals.h"

#include <sys/signalfd.h>
#include <unistd.h>

namespace petri::cli {

SessionSignals::SessionSignals() {
  sigset_t signals{};
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGINT);
  ::sigaddset(&signals, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &signals, &before_);
  descriptor_ = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  // Out of descriptors: signals still end the process, which is better than none doing anything.
  if (descriptor_ < 0) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

SessionSignals::~SessionSignals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  if (descriptor_ >= 0) ::close(descriptor_);
}

int SessionSignals::take() {
  signalfd_siginfo taken{};
  if (descriptor_ < 0 || ::read(descriptor_, &taken, sizeof taken) != sizeof taken) return 0;
  return static_cast<int>(taken.ssi_signo);
}

}  // namespace petri::cli
