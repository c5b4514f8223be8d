// The turns of one guest among others: what it has used, its sandbox's share of the processors, and when others go
// first.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "host/host_context.h"
#include "process/turns/workers.h"

namespace petri {

class CpuShare;
class ProcessServices;
class TreeAccount;

// Counts one piece of work after the other. Used by the thread that has entered the guest, or by one that sits where
// that one does. Times are those of the clock of the sandbox.
class GuestTurns {
 public:
  // Says who may use a processor now, and what ends the waiting for one.
  struct Bounds {
    Workers::Seat& seat;
    const std::atomic<std::uint32_t>& kill;
    std::uint64_t deadline_ns;
  };

  // The services outlive it.
  explicit GuestTurns(ProcessServices& services);

  // Work starts now.
  void begin(std::uint64_t now_ns) {
    started_ns_ = now_ns;
    away_ns_ = charged_ns_ = charged_fuel_ = turn_from_ns_ = 0;
  }
  // So much of the time since was not its own: it waited, was put aside, or was in a callee.
  void add_away(std::uint64_t ns) { away_ns_ += ns; }
  // So much of its fuel was used by another, who has put it on the account.
  void add_charged(std::uint64_t fuel) { charged_fuel_ += fuel; }
  // Puts on the account what has been used and is not there yet; `fuel` is what this work has used so far.
  void charge(std::uint64_t fuel, std::uint64_t now_ns);

  // Another guest starts: how long the one before was held to the share does not count.
  void forget_holds() { held_since_ns_ = 0; }
  // Before the guest is entered: waits while its sandbox is ahead of its share.
  void wait_for_share(std::uint64_t now_ns, const Bounds& bounds);
  // A turn is over: when the next one ends. 0: it has been held to its share for longer than cpu_grace, as the context
  // says then.
  std::uint64_t next(HostContext& context, std::uint64_t fuel, const Bounds& bounds);
  // Waits on the guest's behalf; the permit is another's meanwhile.
  void wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill, Workers::Seat& seat);

 private:
  std::uint64_t take_processor_ns(std::uint64_t now_ns);
  void hold(const Bounds& bounds);
  bool held_too_long(std::uint64_t now_ns);
  bool has_had_its_turn();
  std::uint64_t half_a_turn_ns() const;

  ProcessServices& services_;
  TreeAccount& account_;  // of the services, as is the share
  CpuShare& share_;
  std::uint64_t started_ns_ = 0;     // the current work,
  std::uint64_t away_ns_ = 0;        // what of the time since was not its own,
  std::uint64_t charged_ns_ = 0;     // and what of it has been charged already
  std::uint64_t charged_fuel_ = 0;   // the same of its fuel
  std::uint64_t turn_from_ns_ = 0;   // processor time of its thread when its turn was last looked at; 0: not yet
  std::uint64_t held_since_ns_ = 0;  // to its share of the processor, again and again; 0: not held
  std::uint64_t ran_held_ns_ = 0;    // what it has used itself since then, of the current work
};

}  // namespace petri
