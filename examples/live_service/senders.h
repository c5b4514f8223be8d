// Threads that send numbered messages without rest.
#pragma once

#include <petri/runtime.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "live_service/service.h"

namespace live_service {

// Each sender numbers its messages to each process on its own, from 1. A message is a call: its sender knows that it
// was handled, or that a crash ended it, and sends it again under the same number. May be used by one thread.
class Senders {
 public:
  Senders(petri::Sandbox sandbox, std::vector<std::string> processes);
  ~Senders() { stop(); }
  Senders(const Senders&) = delete;
  Senders& operator=(const Senders&) = delete;

  // Waits until this many more messages were handled; false when a sender has given up.
  bool wait_for(std::uint64_t more);
  void stop();

  // After stop(): how many a sender sent to a process, all together, how many had to be sent again, and why a sender
  // gave up, if one did.
  std::uint64_t sent(std::size_t sender, std::size_t process) const { return sent_[sender][process]; }
  std::uint64_t handled() const { return handled_; }
  std::uint64_t repeated() const { return repeated_; }
  std::string failure() const;

 private:
  void send(const std::stop_token& stop, std::size_t sender);
  bool send_one(std::size_t sender, std::size_t process);
  void give_up(const std::string& why);

  petri::Sandbox sandbox_;
  std::vector<std::string> processes_;
  std::array<std::vector<std::uint64_t>, kSenders> sent_;
  std::atomic<std::uint64_t> handled_{0};
  std::atomic<std::uint64_t> repeated_{0};
  std::atomic<bool> failed_{false};
  mutable std::mutex mutex_;
  std::string failure_;  // guarded by mutex_
  std::vector<std::jthread> threads_;
};

}  // namespace live_service
