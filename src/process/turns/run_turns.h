// A run among the processes of its sandbox: held to the same share of the processors, and giving way like them.
#pragma once

#include "process/turns/guest_turns.h"
#include "run/run_in.h"

namespace petri {

// The turns of one run, on its thread, which visits the workers (Workers::Visit) or is one of theirs.
class RunTurns final : public RunPort {
 public:
  // The services outlive it.
  explicit RunTurns(ProcessServices& services) : services_(services), turns_(services) {}

  std::uint64_t begin(std::uint64_t deadline_ns, const std::atomic<std::uint32_t>& kill) override;
  void end(std::uint64_t fuel_used) override;
  std::uint64_t next_turn(HostContext& context, std::uint64_t fuel_used) override {
    return turns_.next(context, fuel_used, bounds());
  }
  void wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill) override {
    turns_.wait_until(until_ns, kill, *seat_);
  }

 private:
  GuestTurns::Bounds bounds() const { return {.seat = *seat_, .kill = *kill_, .deadline_ns = deadline_ns_}; }

  ProcessServices& services_;
  GuestTurns turns_;
  Workers::Seat* seat_ = nullptr;
  const std::atomic<std::uint32_t>* kill_ = nullptr;
  std::uint64_t deadline_ns_ = 0;
};

}  // namespace petri
