// How a guest is ended from another thread, while it runs and while a host function waits for it.
#pragma once

#include <atomic>
#include <cstdint>

namespace petri {

// The engines look at the flag while the guest runs. Raising it also wakes a thread that waits in wait_for_kill(),
// which is why it is raised here and nowhere else. Any thread.
class KillFlag {
 public:
  void raise();
  void clear() { flag_.store(0); }
  bool is_raised() const { return flag_.load() != 0; }
  const std::atomic<std::uint32_t>& flag() const { return flag_; }

 private:
  std::atomic<std::uint32_t> flag_{0};
};

// Blocks this thread until `until_ns` of the monotonic clock, or until the flag (nullptr: there is none) is raised.
// Takes no memory and no descriptor. Only for those who wait on a guest's behalf: host functions use HostCall::wait().
void wait_for_kill(const std::atomic<std::uint32_t>* flag, std::uint64_t until_ns);

}  // namespace petri
