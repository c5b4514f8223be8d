// Runs the guest of a process: its start, one message after the other, and its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "host/functions/seeded_random.h"
#include "host/guest/guest.h"
#include "petri/tier.h"
#include "process/history/backtrace_finder.h"
#include "process/instance/live_instance.h"
#include "process/instance/module_code.h"
#include "process/instance/trial_period.h"
#include "process/mailbox/message.h"
#include "process/turns/work_clock.h"
#include "process/turns/workers.h"
#include "run/run_spec_check.h"

namespace petri {

class Process;

// The past from which a process continues that is not started for the first time.
struct ProcessOrigin {
  const std::shared_ptr<const InstanceImage>& image;
  std::optional<SeededRandom::State> random;  // nothing: it is seeded as any other
  bool saw_outside = false;                   // see LiveInstance
  const std::vector<SavedMessage>& mailbox;
};

// Only the thread that has entered the process uses it (Entrance), and needs no lock for that; the members under "any
// thread" are atomic. No lock of the process is held while the guest runs.
class MessageHandler {
 public:
  // The process outlives it, and has its entrance and its services already.
  explicit MessageHandler(Process& process);

  // Everything that an instance is created from. The version is the number of the code among those of its module.
  struct Start {
    ModuleCodePtr code;
    std::string_view input;
    const ProcessOrigin* origin = nullptr;  // none: petri_init is called
    std::uint64_t version = 0;
  };
  // Creates an instance and calls petri_init. After anything but `ok` there is none. An Error means that the guest was
  // not entered: there was no room on the account, or the instance could not be created.
  Result<Outcome> start(Start start);
  // Handles one message. An Error means that the guest was not entered, or that petri itself failed. Sets `ended` when
  // the instance is gone: then its place on the account is free, and a trap has its backtrace if that could be found.
  Result<Outcome> handle(const Message& message, bool& ended);
  // Calls petri_terminate, if there is one. Nobody waits for how it ends; a limit that ended it is reported.
  void terminate();
  // Frees the place on the account, and notifies the owner.
  void drop_instance();
  void forget_history() { backtraces_.forget(); }
  // Puts another instance in the place of one that is gone. False: there is no room on the account, and nothing has
  // changed.
  bool try_revive(LiveInstance&& live);
  // Puts another instance in the place of the present one, which must be there. `trial` is the time in which the new
  // code must prove itself; nullptr: it need not.
  void exchange(LiveInstance&& live, std::shared_ptr<TrialPeriod> trial);
  // The trial of the code that has ended; nullptr: it was on none.
  std::shared_ptr<TrialPeriod> take_trial() { return std::move(trial_); }

  // ---- for what the guest asks for while it runs (GuestCalls)
  LiveInstance& live() { return live_; }
  const LiveInstance& live() const { return live_; }
  const Message* current() const { return current_; }  // nullptr: it handles none
  const Allowance& allowance() const { return allowance_; }
  // When the first of the calls started that led to the current work.
  std::uint64_t chain_ns() const { return chain_ns_; }
  // Where the guest sits among the workers: it may run on another thread than the one that has entered.
  Workers::Seat& seat() { return *seat_; }
  GuestTurns::Bounds bounds();
  // Somebody has ended the guest: it stops at its next look.
  bool is_ended() const;
  BacktraceFinder& backtraces() { return backtraces_; }

  // ---- any thread
  WorkClock& clock() { return work_; }
  const WorkClock& clock() const { return work_; }
  Tier tier() const { return tier_.load(std::memory_order_relaxed); }
  // Its module has a petri_handle; also true of a process that has not been started yet.
  bool takes_messages() const { return takes_messages_.load(std::memory_order_relaxed); }
  // Its module has a petri_terminate.
  bool terminates() const { return terminates_.load(std::memory_order_relaxed); }

 private:
  // The function that a message asks for; the last one is kept.
  struct Target {
    std::string function;
    RunTarget run;
  };

  Result<Outcome> create(Start start);
  Result<End> run_init();
  Result<const Target*> find_target(const Message& message);
  Result<void> enter_command();
  Result<Outcome> handle_at(const Target& target, const Message& message, bool& ended);
  Result<Outcome> finish(const Message& message, const Target& target, const Result<End>& end, bool& ended);
  Allowance allowance_for(const Message& message, Clock::TimePoint started) const;
  void start_work(const Message& message, Clock::TimePoint started);
  void end_work(const Message& message, Clock::TimePoint now);
  void refresh_limits();
  void publish_code();
  void note_origin(Outcome& outcome) const;

  Process& process_;
  LiveInstance live_;
  std::vector<std::uint64_t> slots_;
  Workers::Seat* seat_ = nullptr;
  const Message* current_ = nullptr;
  Target target_;
  Allowance allowance_;
  SandboxLimitsPtr limits_;
  std::uint32_t limits_number_ = 0;     // of limits_ among those of the account; 0: they are not known
  std::shared_ptr<TrialPeriod> trial_;  // of code that is new
  std::uint64_t chain_ns_ = 0;
  WorkClock work_;
  BacktraceFinder backtraces_;

  std::atomic<Tier> tier_{Tier::interpreted};
  std::atomic<bool> takes_messages_{true};
  std::atomic<bool> terminates_{false};
};

}  // namespace petri
