// Calls and messages from outside.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "petri/sandbox.h"
#include "process/process.h"
#include "sandbox/calls/completions.h"
#include "sandbox/calls/run_table.h"
#include "sandbox/limits/containment.h"
#include "sandbox/processes/process_table.h"
#include "sandbox/timers/timers.h"

namespace petri {

// Each verb finds the process it means, asks the containment, and leaves the rest to the process. Any thread; no lock
// is held while a guest or a completion runs. call() is on the path that is measured most: it takes the locks of the
// process table and of the process, each for moments, and allocates nothing for an idle process.
class Calls {
 public:
  // All of it outlives the calls, which keep the owner alive until they are answered.
  struct Parts {
    const std::string& sandbox;
    ProcessOwner& owner;
    const ProcessTable& processes;
    RunTable& runs;
    Containment& containment;
    Completions& completions;
    Timers& timers;
  };
  explicit Calls(const Parts& parts) : parts_(parts) {}

  // As Sandbox has them (petri/sandbox.h). deadlock: the process waits for the very thread that calls it.
  Result<Outcome> call(std::string_view function, std::vector<Value> arguments, const CallOptions& options);
  Result<std::uint64_t> call_async(std::string_view function, std::vector<Value> arguments, CallOptions options,
                                   Completion completion);
  Result<void> send(std::string_view bytes, std::string_view process);
  // Ends a call or a run that waits or is under way; not_found if it has ended, or if the number was never given out.
  Result<void> cancel(std::uint64_t number);

 private:
  using CallTimer = std::shared_ptr<std::atomic<TimerId>>;  // nullptr: the call has no time-out

  Result<Outcome> call_process(Process& process, std::string_view function, std::vector<Value>&& arguments,
                               const CallOptions& options);
  ReplyPtr reply_for(Completion completion, Containment::Entry entry, const CallTimer& timer);
  void give_up_at(Clock::TimePoint time, CallTimer& timer, const ReplyPtr& reply, const std::string& process);

  const Parts parts_;
};

}  // namespace petri
