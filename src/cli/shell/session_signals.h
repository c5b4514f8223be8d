// SIGINT and SIGTERM between two commands of the shell.
#pragma once

#include <csignal>

namespace petri::cli {

// While it lives the two signals wait to be taken instead of ending the process; while a command is carried out an
// Interrupt takes them. Made before the process has threads of its own: they inherit that both are blocked.
class SessionSignals {
 public:
  SessionSignals();
  ~SessionSignals();
  SessionSignals(const SessionSignals&) = delete;
  SessionSignals& operator=(const SessionSignals&) = delete;

  // The number of one that has come, or 0.
  int take();
  // Readable when one has come; -1 when the machine gave no descriptor.
  int descriptor() const { return descriptor_; }

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace petri::cli
