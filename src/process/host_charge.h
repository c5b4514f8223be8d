// What the host's own work for a sandbox, and the threads it has, take of that sandbox's accounts.
#pragma once

#include <cstdint>

#include "base/clock.h"
#include "process/cpu_share.h"
#include "process/process_time.h"
#include "process/tree_account.h"
#include "process/workers.h"

namespace petri {

// All outlive it. Any thread.
class HostCharge {
 public:
  // What an engine and the allocators keep for a thread whose guest waits, as measured: interpreted 1.0 MiB, compiled
  // 0.6 MiB.
  static constexpr std::uint64_t kThreadBytes = 1 << 20;

  HostCharge(TreeAccount& account, CpuShare& share, const Clock& clock)
      : account_(account), share_(share), clock_(clock) {}

  // Between two handlers, for starts, ends and timers: what is not a guest's own time.
  void add_work(std::uint64_t ns) {
    account_.add_work(0, ns);
    share_.charge(ns, to_ns(clock_.now()));
  }
  bool try_hold_thread() { return account_.try_hold(kThreadBytes); }
  void let_go_thread() { account_.let_go(kThreadBytes); }

 private:
  TreeAccount& account_;
  CpuShare& share_;
  const Clock& clock_;
};

}  // namespace petri
