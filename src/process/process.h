// A process: an instance of a module with a mailbox and private state, driven one message at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/mutex.h"
#include "host/guest.h"
#include "host/kill_flag.h"
#include "petri/log_level.h"
#include "petri/tier.h"
#include "process/cpu_share.h"
#include "process/deterministic_queue.h"
#include "process/guest_turns.h"
#include "process/history.h"
#include "process/hook_port.h"
#include "process/live_instance.h"
#include "process/mailbox.h"
#include "process/module_code.h"
#include "process/reply.h"
#include "process/standby.h"
#include "process/tree_account.h"
#include "process/trial_period.h"
#include "process/workers.h"
#include "run/run_spec_check.h"

namespace petri {

class Process;
class RetraceBudget;
using ProcessPtr = std::shared_ptr<Process>;

// The sandbox, as its processes see it. Called on threads that run guests.
class ProcessOwner {
 public:
  virtual ~ProcessOwner() = default;

  // Held by what is still to be done for a process.
  virtual std::shared_ptr<void> keep_alive() = 0;
  virtual Workers& workers() = 0;
  // Whose work its processes do; nobody's: the host's.
  virtual Workers::Client* client() { return nullptr; }
  // What a process has to do, on a thread of the workers; not before the sandbox may have one more. Answers a number
  // for hurry(), by which it is done at once: for ends.
  virtual std::uint64_t submit(Workers::Task task) {
    workers().submit(std::move(task));
    return 0;
  }
  virtual void hurry(std::uint64_t /*number*/) {}
  virtual TreeAccount& account() = 0;
  virtual CpuShare& cpu_share() = 0;
  virtual const Clock& clock() const = 0;
  // Where everything has one order; none: processes run beside one another.
  virtual DeterministicQueue* deterministic_queue() { return nullptr; }
  virtual Mutex& waits() = 0;  // guards whom the processes of the sandbox wait for
  // For an instance of the process of this name.
  virtual HostSettings host_settings(std::string_view process) = 0;
  virtual std::uint64_t seed() const = 0;
  // nullptr when there is none of this name.
  virtual ProcessPtr find_process(std::string_view name) = 0;
  // Its petri_terminate ended like this, which nobody waits for.
  virtual void terminate_ended(const Process& process, const Outcome& how) = 0;
  // Its instance of this number is gone, however it ended.
  virtual void instance_gone(const Process& process, std::uint64_t incarnation) = 0;
  // It ended by itself while it handled something; its instance is gone, and its mailbox waits for the next.
  virtual void process_ended(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) = 0;
  // The same of one that begin_rollback() was told of, and that was not revived.
  virtual void process_not_revived(Process& process, std::uint64_t incarnation, const Result<Outcome>& how) {
    process_ended(process, incarnation, how);
  }
  // The spec is parsed on the guest's clock, and charged to `call`.
  virtual std::int32_t spawn(Process& by, HostCall& call, std::string_view spec) = 0;
  virtual std::int32_t stop_child(Process& by, std::string_view name) = 0;
  // `now_ms` is the guest's own time.
  virtual std::int32_t start_timer(Process& by, std::uint64_t now_ms, std::uint32_t milliseconds, std::int64_t tag) = 0;
  virtual void late_answer() = 0;
  // It has ended, and its code was given a trial. True: revive() or report_exit() follows, until then it is down, and
  // nobody else hears of it. Asked before it has been left; `then` is called afterwards, if it is set.
  virtual bool begin_rollback(Process&, const TrialPeriod&, const Result<Outcome>&, std::function<void()>& /*then*/) {
    return false;
  }
  // What may be spent on finding out where interpreted guests trapped; none: as much as that takes.
  virtual RetraceBudget* retrace_budget() { return nullptr; }
  // A call, from outside or of another guest, came to this end.
  virtual void call_ended(OutcomeKind) {}
};

// How deep guests may call one another.
constexpr std::uint32_t kGuestCallDepthMax = 16;

// It keeps its mailbox when its instance ends and another is started. All members may be called from any thread.
class Process : public std::enable_shared_from_this<Process> {
 public:
  Process(ProcessOwner& owner, std::string name);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& name() const { return name_; }

  // What a process goes on from that is not started for the first time.
  struct Origin {
    const std::shared_ptr<const InstanceImage>& image;
    std::optional<SeededRandom::State> random;  // none: it is seeded as any other
    bool saw_outside = false;                   // see LiveInstance
    const std::vector<SavedMessage>& mailbox;
  };

  // Makes an instance and calls petri_init, on this thread. The outcome is `ok` when it lives; an Error means that the
  // guest was not entered. It must not be alive. The incarnation is a number that this instance has alone.
  // With an origin it has that memory and mailbox, and nothing of the guest runs. The version is the number of the
  // code among those of its module, which outcomes tell.
  Result<Outcome> start(std::uint64_t incarnation, ModuleCodePtr code, std::string_view input,
                        const Origin* origin = nullptr, std::uint64_t version = 0) EXCLUDES(mutex_);

  // Ends it in order: waits for the handler, calls petri_terminate, drops the instance. Takes as long as these do,
  // unless it is killed meanwhile. The mailbox is kept until close(). Nothing when another incarnation has followed.
  void stop(std::uint64_t incarnation) EXCLUDES(mutex_);
  // What its guest does is ended, and petri_terminate will not be called. Returns at once; stop() does the rest. An
  // incarnation that is yet to start is ended as soon as it does.
  void kill(std::uint64_t incarnation) EXCLUDES(mutex_);
  // Takes no more messages until it is started again. Waiting calls are `cancelled`, other messages kept; what is under
  // way comes to its end.
  void freeze() EXCLUDES(mutex_);
  // Nobody will start it again: waiting calls are `cancelled`, other messages dropped.
  void close() EXCLUDES(mutex_);

  // Calls and waits: for as long as it takes, or until the deadline (`timeout`, and the handler goes on). Runs on this
  // thread when the process is idle and there is no deadline.
  Result<Outcome> call(Message&& message, std::optional<Clock::TimePoint> deadline) EXCLUDES(mutex_);
  // Puts a message into the mailbox; its answer, if it wants one, comes later.
  Result<void> post(Message message) EXCLUDES(mutex_);
  // For its guest, on the guest's thread: waits for an answer as long as the guest may run. An Error when that is over,
  // or when it was ended meanwhile.
  Result<Outcome> wait_for(const ReplyPtr& answer, std::optional<Clock::TimePoint> deadline) EXCLUDES(mutex_);
  // The same: what its guest asked for was refused by a limit.
  void note_met(std::string_view limit, std::uint64_t wanted, std::uint64_t allowed);

  // The deterministic queue's: handles the next message, if it can.
  void handle_next() EXCLUDES(mutex_);

  // Ends what is done for the call of this number, or keeps it from starting. False: it is not known here.
  bool cancel(std::uint64_t call_id) EXCLUDES(mutex_);

  // ---- hot reload, by whoever exchanges its code: one at a time

  // From now on only calls of guests whose chain began by then enter, and what their senders sent before them; the rest
  // waits. May be called again with another time.
  void close_gate(Clock::TimePoint began_by) EXCLUDES(mutex_);
  void open_gate() EXCLUDES(mutex_);
  // Waits until it is not at work, or until the deadline; anyone may make it return. Whether it is at rest or down.
  bool wait_until_idle(Clock::TimePoint deadline, const std::stop_token& stop) EXCLUDES(mutex_);
  bool at_work() const EXCLUDES(mutex_);
  enum class Taken : std::uint8_t { taken, down, at_work };
  // Whether one that freeze() keeps from messages is taken, too.
  enum class Frozen : std::uint8_t { leave, take };
  // taken: the thread has entered it, and put_back() follows.
  Taken try_take(Frozen frozen = Frozen::leave) EXCLUDES(mutex_);
  void put_back() { leave(false); }

  // Where an instance is created that is to take the place of the present one. Another is needed after an exchange.
  Standby standby() { return {owner_, name_, flags_[flag_.load() ^ 1U]}; }
  // Whatever runs there ends at once.
  void end_standby() { flags_[flag_.load() ^ 1U].raise(); }
  // While it is taken.
  LiveInstance& live() { return live_; }
  bool live_saw_outside() const { return live_.saw_outside; }
  void exchange(LiveInstance&& live, std::shared_ptr<TrialPeriod> trial) EXCLUDES(mutex_);
  // The tags of its timers that have rung and wait in its mailbox.
  std::vector<std::int64_t> rung_timers() const EXCLUDES(mutex_);
  // What waits for it and has no caller. Calls are never copied, and never dropped here.
  std::vector<SavedMessage> saved_mailbox() const EXCLUDES(mutex_);
  void replace_mailbox(const std::vector<SavedMessage>& messages) EXCLUDES(mutex_);
  // After begin_rollback(): with this instance in place of the one it lost, or as any other that has ended. not_now:
  // somebody has stopped it meanwhile. `before_it_goes_on` is called where it lives again, while it is still taken.
  Result<void> revive(LiveInstance&& live, const std::function<void()>& before_it_goes_on = {}) EXCLUDES(mutex_);
  void report_exit(const Result<Outcome>& how) EXCLUDES(mutex_);

  // When the work began that is being done, as the clock tells it; 0: none is.
  std::uint64_t work_began_ns() const EXCLUDES(mutex_);
  // Ends the work that began then as `deadline`, if it is still being done: its time is shorter than it was.
  void end_late(std::uint64_t began_ns) EXCLUDES(mutex_);
  // Memory and tables, as of the end of the last work.
  std::uint64_t memory_bytes() const { return memory_bytes_.load(std::memory_order_relaxed); }

  bool alive() const EXCLUDES(mutex_);
  // Its module has a petri_handle; also said of one that has not been started yet.
  bool takes_messages() const { return takes_messages_.load(std::memory_order_relaxed); }
  // stop() would run no guest and wait for nobody.
  bool ends_at_once() const EXCLUDES(mutex_);
  std::uint64_t incarnation() const { return incarnation_.load(); }
  Tier tier() const { return tier_.load(); }
  std::size_t mailbox_size() const EXCLUDES(mutex_);

 private:
  enum class State : std::uint8_t { down, idle, busy, closed };
  class Port;
  friend class Port;

  // The function a message asks for; the last one is remembered.
  struct Target {
    std::string function;
    RunTarget run;
  };

  Result<const Target*> find_target(const Message& message);
  Result<void> enter_command();
  // Whoever asks for what a limit refuses: a guest in the middle of something, or the world.
  static constexpr Process* kWorld = nullptr;
  Result<void> check_message(std::size_t bytes, Process* by) const;
  // not_found for messages that no petri_handle would get. A call says so itself.
  Result<void> must_take(const Message& message) const;
  Result<void> post_from(Process* by, Message message) EXCLUDES(mutex_);
  void report_refused(Process* by, std::string_view limit, std::uint64_t wanted, std::uint64_t allowed) const;
  enum class Line : bool { keep, jump };  // whether those who wait go first
  bool try_enter(const Message& message, Line line) EXCLUDES(mutex_);
  void leave(bool ended) EXCLUDES(mutex_);
  bool take_message(Message& message) EXCLUDES(mutex_);
  std::uint64_t chain_start() const EXCLUDES(mutex_);
  void go_on_with_mailbox() REQUIRES(mutex_);
  void come_to_end(const Result<Outcome>& how) EXCLUDES(mutex_);
  void put(Message message) REQUIRES(mutex_);
  void schedule() REQUIRES(mutex_);
  void line_up(DeterministicQueue& queue) REQUIRES(mutex_);
  bool deliver(Message& message) EXCLUDES(mutex_);
  bool answer(Reply& reply, Result<Outcome> result, bool ended) EXCLUDES(mutex_);
  void drain() EXCLUDES(mutex_);
  // Letters that nobody will handle: whoever waits for an answer is told.
  void drop(std::list<Message>& messages) EXCLUDES(mutex_);
  // Handles one message on this thread, which has entered. Sets `ended` when the instance is gone.
  Result<Outcome> handle(Message& message, bool& ended);
  Result<Outcome> handle_at(const Target& target, const Message& message, bool& ended);
  Result<Outcome> finish_message(const Message& message, const Target& target, const Result<End>& end, bool& ended);
  Result<Outcome> handle_and_leave(Message& message) EXCLUDES(mutex_);
  Allowance allowance_for(const SandboxLimits& limits, const Message& message, Clock::TimePoint started) const;
  void refresh_limits();
  GuestTurns::Bounds bounds();
  void begin_work(Clock::TimePoint started, std::uint64_t virtual_fuel = 0);
  void end_work(Clock::TimePoint now, std::uint32_t depth = 0);
  std::uint64_t own_bytes() const;
  bool try_add_to_account();
  Result<void> must_have_room();
  void remove_from_account();
  Result<Outcome> begin_instance(ModuleCodePtr code, std::string_view input, const Origin* origin,
                                 std::uint64_t version);
  void note_origin(Outcome& outcome) const;
  void note_late(Outcome& outcome) const;
  ProcessPort& port() const;
  Result<End> run_init();
  // What it does from here on can be repeated: from its start, or from an image.
  void remember_from_start(std::string_view input);
  void remember_from(std::shared_ptr<const InstanceImage> image);
  void remember_from_here();
  void remember(const Message& message, std::uint64_t fuel_used);
  VirtualTime virtual_time() const;
  // Without a message it ended while it was started.
  void find_backtrace(const ModuleCodePtr& code, const History::Step* last, Outcome& outcome);
  void retrace(const ModuleCode& code, const History::Step* last, Outcome& outcome);
  CodePtr code_to_retrace(const ModuleCode& code) EXCLUDES(mutex_);
  void end_instance();
  KillFlag& flag() { return flags_[flag_.load(std::memory_order_relaxed)]; }
  void set_flag(bool raised) { raised ? flag().raise() : flag().clear(); }
  void terminate();
  std::uint64_t next_turn(std::uint64_t fuel_used) { return turns_.next(*live_.context, fuel_used, bounds()); }
  std::int32_t call_from_guest(HostCall& host_call, std::string_view to, std::string_view bytes,
                               std::uint32_t timeout_ms, std::string& reply);
  std::int32_t send_from_guest(HostCall& host_call, std::string_view to, std::string_view bytes);
  Result<Outcome> ask(Process& callee, Message message, std::optional<Clock::TimePoint> deadline);
  Result<Outcome> ask_here(Process& callee, Message message) EXCLUDES(mutex_);
  void interrupt() REQUIRES(mutex_);
  void cancel_helper() EXCLUDES(mutex_);
  void end_handler() REQUIRES(mutex_);

  ProcessOwner& owner_;
  // The owner's, for as long as it is there: asked for several times in every call.
  TreeAccount& account_;
  const Clock& clock_;
  Workers& workers_;
  DeterministicQueue* const queue_;  // nullptr unless it is deterministic
  const std::string name_;
  std::unique_ptr<Port> port_;

  // Of the thread that has entered.
  LiveInstance live_;
  std::vector<std::uint64_t> slots_;
  Workers::Seat* seat_ = nullptr;
  const Message* current_ = nullptr;
  Target target_;
  Allowance allowance_;
  SandboxLimitsPtr limits_;
  std::uint32_t limits_number_ = 0;
  std::shared_ptr<TrialPeriod> trial_;  // of code that is new
  History history_;
  std::uint64_t chain_ns_ = 0;  // when the first of the calls began that led to the current work
  GuestTurns turns_;

  // Looked at by the instance that runs, and by the one that is created to take its place.
  std::array<KillFlag, 2> flags_{};
  std::atomic<std::uint8_t> flag_{0};  // which of them the instance that runs has
  std::atomic<std::uint64_t> incarnation_{0};
  std::atomic<Tier> tier_{Tier::interpreted};
  std::atomic<bool> takes_messages_{true};
  std::atomic<std::uint64_t> work_began_ns_{0};
  std::atomic<std::uint64_t> late_ns_{0};  // the work that was ended because its time became shorter, by its beginning
  std::atomic<std::uint64_t> memory_bytes_{0};
  Process* waits_for_ = nullptr;  // guarded by owner_.waits()

  mutable Mutex mutex_;
  Condition changed_;
  State state_ GUARDED_BY(mutex_) = State::down;
  bool held_ GUARDED_BY(mutex_) = false;        // it is being stopped: nothing new is begun
  bool killed_ GUARDED_BY(mutex_) = false;      // nothing more of the guest is to run
  bool may_revive_ GUARDED_BY(mutex_) = false;  // it is down, and another instance may follow in its place
  Mailbox mailbox_ GUARDED_BY(mutex_);
  std::size_t lined_up_ GUARDED_BY(mutex_) = 0;     // how often it stands in the deterministic queue
  std::uint64_t scheduled_ GUARDED_BY(mutex_) = 0;  // the number of its last drain() that had to wait
  std::uint64_t current_call_ GUARDED_BY(mutex_) = 0;
  std::uint64_t killed_before_start_ GUARDED_BY(mutex_) = 0;         // an incarnation that was killed before it began
  ReplyPtr awaited_ GUARDED_BY(mutex_);                              // what its guest waits for
  std::stop_source retracing_ GUARDED_BY(mutex_){std::nostopstate};  // a compilation that is waited for
  // Who handles a call of its guest on the guest's own thread, and the number of that call.
  std::pair<ProcessPtr, std::uint64_t> helper_ GUARDED_BY(mutex_);
};

}  // namespace petri
