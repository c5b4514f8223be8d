// Ctrl-C while a guest runs.
#pragma once

#include <atomic>
#include <csignal>
#include <stop_token>
#include <thread>

namespace petri::cli {

// While it lives, SIGINT and SIGTERM ask the guest to stop instead of ending the process. A second signal, or ten
// seconds without an end, ends the process at once with exit code 130. Made on the main thread, at most one at a time,
// before the process has threads of its own: they inherit that both signals are blocked.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  std::stop_token token() const { return stop_.get_token(); }
  // Stops the guest for another reason than a signal. Any thread.
  void stop() { stop_.request_stop(); }
  bool signalled() const { return signal() != 0; }
  // The number of the signal that came, or 0.
  int signal() const { return signal_.load(); }

 private:
  void watch();
  sigset_t signals_before_{};
  int signals_ = -1;  // a signalfd
  int finish_ = -1;   // an eventfd: the watcher is to end
  std::stop_source stop_;
  std::atomic<int> signal_{0};
  std::thread watcher_;
};

}  // namespace petri::cli
