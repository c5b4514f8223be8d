// The sandbox, as its processes see it: what they use of it, what they report to it, and what their guests ask of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "host/host_context.h"
#include "petri/outcome.h"
#include "petri/result.h"
#include "process/process_services.h"

namespace petri {

class HostCall;
class Process;
class RetraceBudget;
class TrialPeriod;
using ProcessPtr = std::shared_ptr<Process>;

// The services that instances are created with.
class InstanceServices : public ProcessServices {
 public:
  // For a new instance of the process of this name.
  virtual HostSettings host_settings(std::string_view process) = 0;
  virtual std::uint64_t seed() const = 0;
  // nullptr when there is no process of this name.
  virtual ProcessPtr find_process(std::string_view name) = 0;
  // The bound on the search for where interpreted guests trapped; nullptr if there is none.
  virtual RetraceBudget* retrace_budget() { return nullptr; }
};

// Reports of a process to its sandbox, on the thread that has entered the process, without any lock of the process.
class ProcessListener {
 public:
  virtual ~ProcessListener() = default;

  // Its petri_terminate ended like this, which nobody waits for.
  virtual void terminate_ended(const Process& process, const Outcome& how) = 0;
  // The instance of this number is gone, however it ended.
  virtual void instance_gone(const Process& process, std::uint64_t incarnation) = 0;
  // The guest ended while it handled a message. The instance is gone, and the mailbox waits for the next one.
  virtual void process_ended(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) = 0;
  // The guest ended, begin_rollback() returned true for it, and the process was not revived.
  virtual void process_not_revived(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) {
    process_ended(process, incarnation, how);
  }
  // The guest ended, and its code is on trial. After true, revive() or report_exit() follows; until then the process is
  // down and process_ended() is not called. The thread has not left the process yet; `then` is called once it has,
  // if it is set.
  virtual bool begin_rollback(Process&, const TrialPeriod&, const Result<Outcome>&, std::function<void()>& /*then*/) {
    return false;
  }
  // A call, from outside or from another guest, ended like this.
  virtual void call_ended(OutcomeKind) {}
  // An answer came after its caller had stopped waiting.
  virtual void late_answer() = 0;
};

// The requests of a guest to its sandbox, on the guest's thread. Answers below zero are GuestErrors.
class GuestRequests {
 public:
  virtual ~GuestRequests() = default;

  // Parses the spec on the guest's clock, and charges that to `call`.
  virtual std::int32_t spawn(Process& by, HostCall& call, std::string_view spec) = 0;
  virtual std::int32_t stop_child(Process& by, std::string_view name) = 0;
  // `now_ms` is the guest's own time.
  virtual std::int32_t start_timer(Process& by, std::uint64_t now_ms, std::uint32_t milliseconds, std::int64_t tag) = 0;
};

// One object is all three: the sandbox. It outlives its processes.
class ProcessOwner : public InstanceServices, public ProcessListener, public GuestRequests {};

}  // namespace petri
