// The two kill flags of a process.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "host/guest/kill_flag.h"

namespace petri {

// One flag ends the instance that runs, the other one an instance that is created to take its place. An exchange swaps
// them, because an instance keeps the flag that it was created with. Any thread may look at a flag or raise it; the
// running one is set and swapped with the lock of the process (Entrance).
class KillFlags {
 public:
  KillFlag& running() { return flags_[running_.load(std::memory_order_relaxed)]; }
  const KillFlag& running() const { return flags_[running_.load(std::memory_order_relaxed)]; }
  KillFlag& standby() { return flags_[running_.load() ^ 1U]; }

  void set_running(bool raised) { raised ? running().raise() : running().clear(); }
  void swap() { running_.store(running_.load() ^ 1U); }

 private:
  std::array<KillFlag, 2> flags_{};
  std::atomic<std::uint8_t> running_{0};
};

}  // namespace petri
