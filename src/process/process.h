// A process: an instance of a module with a mailbox and private state, driven one message at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "petri/tier.h"
#include "process/guest_calls.h"
#include "process/instance/live_instance.h"
#include "process/instance/module_code.h"
#include "process/instance/standby.h"
#include "process/instance/trial_period.h"
#include "process/mailbox/entrance.h"
#include "process/mailbox/reply.h"
#include "process/message_handler.h"
#include "process/process_owner.h"
#include "process/turns/guest_waits.h"

namespace petri {

// It keeps its mailbox when its instance ends and another is started. All members may be called from any thread, unless
// they say that the thread has entered. The parts, and what guards each of them:
//
//   Entrance         state and mailbox; its own lock, which no guest runs under
//   MessageHandler   the instance and the message that is handled; only the thread that has entered
//   GuestCalls       what the guest asks for; the thread that has entered, or one that it waits for
//   GuestWaits       what the guest waits for; the lock of the entrance
//
// Locks are taken in this order: those of the sandbox, ProcessServices::waits(), Entrance, those of the workers and of
// the deterministic queue. The sandbox is notified, a reply is given, and a guest runs without any of the last four.
class Process : public std::enable_shared_from_this<Process> {
 public:
  Process(ProcessOwner& owner, std::string name);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& name() const { return name_; }

  // ---- its instances

  using Origin = ProcessOrigin;
  // Creates an instance and calls petri_init, on this thread. The outcome is `ok` when it lives; an Error means that
  // the guest was not entered. It must be down. The incarnation is a number that this instance has alone. With an
  // origin it has that memory and mailbox, and nothing of the guest runs. The version is the number of the code among
  // those of its module, which outcomes report.
  Result<Outcome> start(std::uint64_t incarnation, ModuleCodePtr code, std::string_view input,
                        const Origin* origin = nullptr, std::uint64_t version = 0);
  // Ends it in order: waits for the handler, calls petri_terminate, drops the instance. Takes as long as these do,
  // unless it is killed meanwhile. The mailbox is kept until close(). Nothing when another incarnation has followed.
  void stop(std::uint64_t incarnation);
  // Ends what its guest does, and petri_terminate will not be called. Returns at once; stop() does the rest. An
  // incarnation that is yet to start is ended as soon as it does.
  void kill(std::uint64_t incarnation);
  // Takes no more messages until it is started again. Waiting calls are `cancelled`, other messages kept; what is under
  // way comes to its end.
  void freeze();
  // Nobody will start it again: waiting calls are `cancelled`, other messages dropped, a guest that runs is killed.
  void close();

  bool alive() const { return entrance_.alive(); }
  // stop() would run no guest and wait for nobody.
  bool ends_at_once() const { return entrance_.ends_at_once(handler_.terminates()); }
  std::uint64_t incarnation() const { return entrance_.incarnation(); }
  Tier tier() const { return handler_.tier(); }
  // Its module has a petri_handle; also true of a process that has not been started yet.
  bool takes_messages() const { return handler_.takes_messages(); }
  // Memory and tables, as of the end of the last work.
  std::uint64_t memory_bytes() const { return handler_.clock().memory_bytes(); }
  // When the work started that is being done, as the clock shows it; 0: none is.
  std::uint64_t work_started_ns() const { return entrance_.at_work() ? handler_.clock().started_ns() : 0; }
  // When the last work started, be it over or not; 0: there was none.
  std::uint64_t last_work_ns() const { return handler_.clock().started_ns(); }
  // Ends the work that started then as `deadline`, if it is still being done: its time is shorter than it was.
  void end_late(std::uint64_t started_ns);

  // ---- messages

  // Calls and waits: for as long as it takes, or until the deadline (`timeout`, and the handler continues). Runs on
  // this thread when the process is idle and there is no deadline.
  Result<Outcome> call(Message&& message, std::optional<Clock::TimePoint> deadline);
  // Puts a message into the mailbox; its answer, if it wants one, comes later.
  Result<void> post(Message message);
  // Ends what is done for the call of this number, or keeps it from starting. False: it is not known here.
  bool cancel(std::uint64_t call_id);

  // ---- for other processes (GuestCalls); `by` is the guest that is refused something by a limit, nullptr: the world

  Result<void> check_message(std::size_t bytes, HostContext* by) const;
  Result<void> post_from(HostContext* by, Message message);
  // This thread has entered.
  Result<Outcome> handle_and_leave(const Message& message);

  // ---- for the workers and the deterministic queue

  // Handles what waits, as long as a turn takes. This thread has entered.
  void drain();
  // Handles the next message, if it can.
  void handle_next();

  // ---- hot reload, by whoever exchanges its code: one at a time

  // Where an instance is created that is to take the place of the present one. Another is needed after an exchange.
  Standby standby() { return {owner_, name_, entrance_.flags().standby()}; }
  // Ends at once whatever runs there.
  void end_standby() { entrance_.end_standby(); }
  // This thread has entered.
  LiveInstance& live() { return handler_.live(); }
  const LiveInstance& live() const { return handler_.live(); }
  void exchange(LiveInstance&& live, std::shared_ptr<TrialPeriod> trial) {
    handler_.exchange(std::move(live), std::move(trial));
  }
  // After begin_rollback(): with this instance in place of the one it lost, or as any other that has ended. not_now:
  // somebody has stopped it meanwhile. `before_it_resumes` is called once it lives again, before it takes messages.
  Result<void> revive(LiveInstance&& live, const std::function<void()>& before_it_resumes = {});
  void report_exit(const Result<Outcome>& how);

  // ---- its parts

  ProcessOwner& owner() const { return owner_; }
  const KnownServices& services() const { return services_; }
  // The messages that wait, and how the process becomes quiescent.
  Entrance& entrance() { return entrance_; }
  const Entrance& entrance() const { return entrance_; }
  GuestWaits& waits() { return waits_; }
  // For what the sandbox does for its guest, on the guest's thread.
  GuestCalls& calls() { return calls_; }

 private:
  bool deliver(Message& message);
  void leave_ended(const Result<Outcome>& how);
  void end_waits();

  ProcessOwner& owner_;
  const KnownServices services_;
  const std::string name_;

  Entrance entrance_;
  GuestWaits waits_;
  GuestCalls calls_;
  MessageHandler handler_;
};

}  // namespace petri
