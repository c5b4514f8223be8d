#include "process/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/assert.h"
#include "host/host_call.h"
#include "process/process_time.h"
#include "run/collect_outcome.h"

namespace petri {
// What the guest of a process asks of its sandbox. The guest may be on another thread than the one that entered it;
// what waits or runs for it here uses the seat of that one.
class Process::Port final : public ProcessPort {
 public:
  explicit Port(Process& process) : process_(process) {}
  std::string_view name() const override { return process_.name_; }
  const void* owner() const override { return &process_.owner_; }
  MessageHead message() const override {
    const Message* message = process_.current_;
    if (message == nullptr) return {};
    return {.kind = message->kind, .sender = message->sender, .tag = message->tag};
  }
  std::int32_t send(HostCall& call, std::string_view to, std::string_view bytes) override {
    return noted(call, nullptr, [&] { return process_.send_from_guest(call, to, bytes); });
  }
  std::int32_t call(HostCall& call, std::string_view to, std::string_view bytes, std::uint32_t timeout_ms,
                    std::string& reply) override {
    const Workers::SameSeat seat(*process_.seat_);
    return noted(call, &reply, [&] { return process_.call_from_guest(call, to, bytes, timeout_ms, reply); });
  }
  std::int32_t spawn(HostCall& call, std::string_view spec) override {
    const Workers::SameSeat seat(*process_.seat_);
    return noted(call, nullptr, [&] { return process_.owner_.spawn(process_, call, spec); });
  }
  std::int32_t stop(std::string_view name) override {
    const Workers::SameSeat seat(*process_.seat_);
    const std::int32_t code = process_.owner_.stop_child(process_, name);
    if (process_.history_.open()) process_.history_.add(History::Answer{.code = code});
    return code;
  }
  std::int32_t timer(HostCall& call, std::uint32_t milliseconds, std::int64_t tag) override {
    return noted(call, nullptr, [&] {
      return process_.owner_.start_timer(process_, call.context.elapsed_ms(call.fuel_used()), milliseconds, tag);
    });
  }
  std::uint64_t next_turn(HostContext&, std::uint64_t fuel_used) override { return process_.next_turn(fuel_used); }
  void wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill) override {
    process_.turns_.wait_until(until_ns, kill, *process_.seat_);
  }

 private:
  // What was answered, for as long as what the process did can be repeated.
  template <typename Act>
  std::int32_t noted(HostCall& call, const std::string* reply, Act act) {
    if (!process_.history_.open()) return act();
    const std::uint64_t before = call.fuel_used();
    const std::int32_t code = act();
    const std::uint64_t fuel = call.fuel_used() - before;
    if (process_.history_.open()) {
      process_.history_.add({.code = code, .reply = reply == nullptr ? std::string() : *reply, .fuel = fuel});
    }
    return code;
  }

  Process& process_;
};

Process::Process(ProcessOwner& owner, std::string name)
    : owner_(owner),
      account_(owner.account()),
      clock_(owner.clock()),
      workers_(owner.workers()),
      queue_(owner.deterministic_queue()),
      name_(std::move(name)),
      port_(std::make_unique<Port>(*this)),
      history_(account_, owner.retrace_budget()),
      turns_(owner),
      mailbox_(account_) {}

Process::~Process() { close(); }

ProcessPort& Process::port() const { return *port_; }

Result<Outcome> Process::start(std::uint64_t incarnation, ModuleCodePtr code, std::string_view input,
                               const Origin* origin, std::uint64_t version) {
  const Workers::Visit visit(workers_, owner_.client());
  {
    MutexLock lock(mutex_);
    PETRI_ASSERT(state_ == State::down);
    state_ = State::busy;
    held_ = may_revive_ = false;
    killed_ = killed_before_start_ == incarnation;
    set_flag(killed_);
    incarnation_.store(incarnation);
  }
  seat_ = &Workers::seat_of_this_thread();
  auto outcome = begin_instance(std::move(code), input, origin, version);
  const bool lives = outcome && outcome->kind == OutcomeKind::ok;
  const ModuleCodePtr entered = live_.code;
  if (!lives) end_instance();
  if (outcome && !lives) find_backtrace(entered, nullptr, *outcome);
  if (lives && origin != nullptr) replace_mailbox(origin->mailbox);
  leave(!lives);
  return outcome;
}

// An instance, the host's side of it, and its places in the tables of its sandbox and its supervisor; in either tier.
std::uint64_t Process::own_bytes() const {
  constexpr std::uint64_t kBytes = 6'272;
  return kBytes + 4 * heap_bytes(name_);
}

bool Process::try_add_to_account() {
  if (!account_.try_add_process()) return false;
  if (account_.try_hold(own_bytes())) return true;
  account_.remove_process();
  return false;
}

Result<void> Process::must_have_room() {
  if (try_add_to_account()) return {};
  const std::uint64_t processes = account_.processes(), allowed = account_.limits()->processes_max;
  if (processes >= allowed) {
    report_refused(kWorld, "processes_max", processes + 1, allowed);
    return fail(ErrorCode::limit_exceeded,
                fmt::format("{} would be one process more than processes_max allows", name_));
  }
  report_refused(kWorld, "memory_bytes_max", account_.taken() + own_bytes(), account_.allowed());
  return fail(ErrorCode::limit_exceeded, fmt::format("memory_bytes_max leaves no room for the process {}", name_));
}

void Process::remove_from_account() {
  account_.remove_process();
  account_.let_go(own_bytes());
}

Result<Outcome> Process::begin_instance(ModuleCodePtr code, std::string_view input, const Origin* origin,
                                        std::uint64_t version) {
  PETRI_TRY(must_have_room());
  live_ = LiveInstance(std::move(code), owner_.host_settings(name_), owner_.seed(), &flag().flag());
  live_.version = version;
  live_.context->set_port(&port());
  target_ = {};
  trial_ = nullptr;
  history_.close();
  if (origin == nullptr) remember_from_start(input);
  tier_.store(live_.tier());
  takes_messages_.store(live_.code->handle.has_value());
  limits_number_ = 0;
  refresh_limits();
  const Clock::TimePoint started = clock_.now();
  allowance_ = allowance_for(*limits_, {}, started);
  begin_work(started);
  turns_.forget_holds();  // what the one before it wanted is not its doing
  turns_.wait_for_share(to_ns(started), bounds());
  live_.guest->begin(allowance_, input);
  auto end = origin == nullptr ? live_.begin() : live_.go_on_from(*origin->image);
  if (origin != nullptr) live_.saw_outside = origin->saw_outside && !live_.context->settings().deterministic;
  if (origin != nullptr && origin->random) live_.context->random = SeededRandom(*origin->random);
  if (origin != nullptr && end && end->kind == EndKind::returned) remember_from(origin->image);
  if (origin == nullptr && end && end->kind == EndKind::returned) end = run_init();
  const Clock::TimePoint now = clock_.now();
  end_work(now);
  if (!end) return fail(std::move(end.error()));
  Outcome outcome = collect_outcome(live_.code->module(), *end, *live_.guest, *live_.context);
  // Nobody reads an answer here, so none is missed.
  if (outcome.kind == OutcomeKind::output_limit && outcome.returned) outcome.kind = OutcomeKind::ok;
  outcome.tier = live_.tier();
  outcome.wall_time = now - started;
  live_.note_seen(outcome);
  note_origin(outcome);
  note_late(outcome);
  return outcome;
}

void Process::note_origin(Outcome& outcome) const {
  outcome.version = live_.version;
  if (live_.context->settings().deterministic) outcome.seed = owner_.seed();
}

// A lower execution_time_max ends by the flag that ends everything; what it was is known here.
void Process::note_late(Outcome& outcome) const {
  if (outcome.kind != OutcomeKind::cancelled || late_ns_.load() != work_began_ns_.load()) return;
  outcome.kind = OutcomeKind::deadline;
  outcome.cause = "execution_time_max";
}

std::uint64_t Process::work_began_ns() const {
  MutexLock lock(mutex_);
  return state_ == State::busy ? work_began_ns_.load() : 0;
}

void Process::end_late(std::uint64_t began_ns) {
  {
    MutexLock lock(mutex_);
    if (state_ != State::busy || work_began_ns_.load() != began_ns) return;
    late_ns_.store(began_ns);
    interrupt();
  }
  cancel_helper();
}

// What petri_init returns is its answer: not 0 ends the process with that code.
Result<End> Process::run_init() {
  if (!live_.code->init) return End{};
  std::uint64_t code = 0;
  PETRI_TRY(End end, live_.guest->call(*live_.code->init, {&code, 1}));
  if (end.kind != EndKind::returned || static_cast<std::int32_t>(code) == 0) return end;
  end.kind = EndKind::exited;
  end.code = static_cast<std::int32_t>(code);
  return end;
}

void Process::end_instance() {
  if (live_) remove_from_account();
  live_ = {};
  memory_bytes_.store(0);
  owner_.instance_gone(*this, incarnation_.load());
}

void Process::stop(std::uint64_t incarnation) {
  const Workers::Visit visit(workers_, owner_.client());
  bool killed = false;
  {
    const Workers::Pause pause(workers_);
    MutexLock lock(mutex_);
    if (incarnation_.load() != incarnation) return;
    held_ = true;
    may_revive_ = false;
    owner_.hurry(scheduled_);  // it finds nothing to do, and leaves
    while (state_ == State::busy && incarnation_.load() == incarnation) changed_.wait(mutex_);
    if (state_ != State::idle || incarnation_.load() != incarnation) return;
    state_ = State::busy;
    killed = killed_;
  }
  seat_ = &Workers::seat_of_this_thread();
  if (!killed) terminate();
  end_instance();
  history_.close();
  leave(true);
}

void Process::kill(std::uint64_t incarnation) {
  {
    MutexLock lock(mutex_);
    if (incarnation_.load() != incarnation) {
      killed_before_start_ = std::max(killed_before_start_, incarnation);
      return;
    }
    killed_ = true;
    may_revive_ = false;
    interrupt();
    owner_.hurry(scheduled_);
  }
  cancel_helper();
}

// Nobody waits for how it goes; what a limit did is told all the same.
void Process::terminate() {
  if (!live_.code->terminate) return;
  const Clock::TimePoint started = clock_.now();
  refresh_limits();
  allowance_ = allowance_for(*limits_, {}, started);
  begin_work(started);
  live_.guest->begin(allowance_, {});
  std::uint64_t slot = 0;
  const auto end = live_.guest->call(*live_.code->terminate, {&slot, 1});
  const Clock::TimePoint now = clock_.now();
  end_work(now);
  if (!end) return;
  Outcome outcome = collect_outcome(live_.code->module(), *end, *live_.guest, *live_.context);
  outcome.wall_time = now - started;
  note_origin(outcome);
  note_late(outcome);
  owner_.terminate_ended(*this, outcome);
}

// Nobody can reach one that is closed, so one that still runs is killed.
void Process::close() {
  std::list<Message> dropped;
  bool busy = false;
  {
    MutexLock lock(mutex_);
    busy = std::exchange(state_, State::closed) == State::busy;
    may_revive_ = false;
    dropped = mailbox_.take_all();
    if (busy) killed_ = true;
    if (busy) interrupt();
  }
  if (busy) cancel_helper();
  drop(dropped);
}

void Process::drop(std::list<Message>& messages) {
  for (Message& message : messages) {
    if (message.reply) message.reply->give(ended_before_call(name_));
  }
}

void Process::freeze() {
  std::list<Message> calls;
  {
    MutexLock lock(mutex_);
    held_ = true;
    calls = mailbox_.take_calls();
  }
  drop(calls);
}

bool Process::alive() const {
  MutexLock lock(mutex_);
  return state_ == State::idle || state_ == State::busy;
}

bool Process::ends_at_once() const {
  MutexLock lock(mutex_);
  if (state_ == State::busy) return false;
  return state_ != State::idle || killed_ || !live_.code->terminate;
}

std::size_t Process::mailbox_size() const {
  MutexLock lock(mutex_);
  return mailbox_.size();
}

// Ends the guest at its next look, and whatever it waits for. cancel_helper() follows, without the lock.
void Process::interrupt() {
  flag().raise();
  changed_.notify_all();
  workers_.wake_ended(owner_.client());
  if (awaited_) awaited_->give(fail(ErrorCode::cancelled, "the caller was ended"));
}

// A callee that runs on the thread of a guest that was ended would keep it from ending, and so would a compilation that
// only tells where it trapped.
void Process::cancel_helper() {
  std::pair<ProcessPtr, std::uint64_t> helper;
  std::stop_source retracing(std::nostopstate);
  {
    MutexLock lock(mutex_);
    if (flag().is_raised()) helper = helper_;
    if (flag().is_raised()) retracing = retracing_;
  }
  retracing.request_stop();
  if (helper.first != nullptr) helper.first->cancel(helper.second);
}

void Process::note_met(std::string_view limit, std::uint64_t wanted, std::uint64_t allowed) {
  live_.context->note_met(limit, wanted, allowed);
}

void Process::report_refused(Process* by, std::string_view limit, std::uint64_t wanted, std::uint64_t allowed) const {
  if (by == kWorld) return account_.tell_met(name_, {.limit = limit, .wanted = wanted, .allowed = allowed});
  by->note_met(limit, wanted, allowed);
}

// Nothing is being done for anyone: what was meant for the last handler must not meet the next.
void Process::end_handler() {
  current_call_ = 0;
  // Clearing it is a locked write, which most calls do not need.
  if (!killed_ && flag().is_raised()) [[unlikely]]
    flag().clear();
}

}  // namespace petri
