// Keeps the embedding program's signals away from threads of ours.
#pragma once

#include <pthread.h>

#include <csignal>

namespace petri {

// Blocks all signals in this thread but those a fault raises, which the engines need, for as long as it lives:
// a thread started meanwhile inherits the mask.
class SignalsHeldBack {
 public:
  SignalsHeldBack() {
    sigset_t blocked;
    sigfillset(&blocked);
    for (const int fault : {SIGSEGV, SIGILL, SIGFPE, SIGBUS, SIGTRAP, SIGABRT}) sigdelset(&blocked, fault);
    pthread_sigmask(SIG_BLOCK, &blocked, &before_);
  }
  ~SignalsHeldBack() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace petri
