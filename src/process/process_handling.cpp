// How a process handles one letter: its budget, its turns, and what came of it.
#include <algorithm>
#include <utility>

#include "base/kernel_clock.h"
#include "process/process.h"
#include "process/process_time.h"
#include "process/retrace.h"
#include "run/collect_outcome.h"

namespace petri {
namespace {

constexpr std::uint64_t kFuelUnbounded = std::uint64_t{1} << 62;

// The instance is of no use any more.
bool ends_life(const Outcome& outcome) {
  switch (outcome.kind) {
    case OutcomeKind::ok:
    case OutcomeKind::output_limit: return !outcome.returned;
    default: return true;
  }
}

// Becomes an outcome as it is declared. Without it a Result would fill all of one with zeros first, each time.
struct NotZeroed {
  operator Outcome() const {  // NOLINT: to be one is all it is for
    Outcome outcome;
    return outcome;
  }
};

// What this thread has had of a processor since it was last asked; the kernel may have had others run meanwhile.
std::uint64_t processor_ns_since_last_asked() {
  thread_local std::uint64_t last = 0;
  const std::uint64_t now = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
  return now - std::exchange(last, now);
}

}  // namespace

Result<const Process::Target*> Process::find_target(const Letter& letter) {
  const std::string_view function = letter.function.empty() ? "petri_handle" : std::string_view(letter.function);
  const bool known = target_.function == function && target_.run.signature.params.size() == letter.arguments.size() &&
                     std::ranges::equal(target_.run.signature.params, letter.arguments, {}, {}, &Value::type);
  if (known) return &target_;
  PETRI_TRY(const RunTarget run,
            find_run_target(life_.code->module(), {.function = std::string(function), .arguments = letter.arguments}));
  target_ = {.function = std::string(function), .run = run};
  return &target_;
}

Allowance Process::allowance_for(const SandboxLimits& limits, const Letter& letter, Clock::TimePoint started) const {
  const std::uint64_t now = to_ns(started);
  return {
      .fuel = std::min(limits.call_fuel_max.value_or(kFuelUnbounded), letter.fuel_max),
      .deadline_ns = std::min(now + static_cast<std::uint64_t>(limits.execution_time_max.count()), letter.deadline_ns),
      .call_depth = static_cast<std::uint32_t>(limits.call_depth_max),
      .turn_ns = now + static_cast<std::uint64_t>(owner_.workers().turn().count())};
}

void Process::refresh_limits() {
  const std::uint32_t number = owner_.account().limits_number();
  if (number == limits_number_) return;
  limits_number_ = number;
  limits_ = owner_.account().limits();
  set_limits_of(life_, *limits_);
}

Result<Outcome> Process::handle(Letter& letter, bool& ended) {
  PETRI_TRY(const Target* target, find_target(letter));
  return handle_at(*target, letter, ended);
}

// One way out: the outcome is made where the caller wants it.
Result<Outcome> Process::handle_at(const Target& target, const Letter& letter, bool& ended) {
  seat_ = &Workers::seat_of_this_thread();
  refresh_limits();
  if (life_.may_move() && life_.move_if_hot()) {
    tier_.store(life_.tier());
    history_.close();
  }
  const Clock::TimePoint started = owner_.clock().now();
  allowance_ = allowance_for(*limits_, letter, started);
  chain_ns_ = letter.depth > 0 ? letter.chain_ns : to_ns(started);
  begin_work(started, letter.virtual_fuel);
  if (owner_.cpu_share().may_go_on_at() > to_ns(started)) {
    hold_for_share(allowance_.deadline_ns);
  } else {
    held_since_ns_ = 0;
  }
  slots_.resize(std::max<std::size_t>(target.run.slots(), 1));
  for (std::size_t index = 0; index < letter.arguments.size(); ++index) slots_[index] = letter.arguments[index].bits();
  current_ = &letter;
  life_.guest->begin(allowance_, letter.bytes);
  const auto end = life_.guest->call(target.run.export_number, {slots_.data(), target.run.slots()});
  current_ = nullptr;
  const Clock::TimePoint now = owner_.clock().now();
  end_work(now, letter.depth);
  auto outcome = finish_letter(letter, target, end, ended);
  if (trial_ != nullptr && !ended) [[unlikely]]
    trial_->count();
  if (outcome) {
    outcome->wall_time = now - started;
    if (letter.queued_at != Clock::TimePoint{}) outcome->queue_time = started - letter.queued_at;
  }
  return outcome;
}

// A handler that does not return 0 has ended its process with that code.
Result<Outcome> Process::finish_letter(const Letter& letter, const Target& target, const Result<End>& end,
                                       bool& ended) {
  // Made where the caller wants it, on the path of every call: whatever happens, this is what is returned.
  Result<Outcome> result(std::in_place, NotZeroed{});
  if (!end) {
    ended = true;
    end_life();
    result = fail(end.error());
    return result;
  }
  Outcome& outcome = *result;
  collect_into(outcome, life_.code->module(), *end, *life_.guest, *life_.context);
  outcome.tier = tier_.load(std::memory_order_relaxed);
  if (life_.may_move()) life_.add_burned(outcome.fuel_used);
  if (outcome.returned) add_values(outcome.values, target.run.signature, slots_);
  if (outcome.returned && letter.function.empty() && static_cast<std::int32_t>(slots_[0]) != 0) {
    outcome.kind = OutcomeKind::exited;
    outcome.exit_code = static_cast<std::int32_t>(slots_[0]);
  }
  ended = ends_life(outcome);
  if (letter.kind == MessageKind::call) owner_.call_ended(outcome.kind);
  if (history_.open() && !ended) [[unlikely]]
    history_.add(letter, outcome.fuel_used);
  if (!ended) return result;
  const ModuleCodePtr entered = life_.code;
  end_life();
  find_backtrace(entered, &letter, outcome);
  return result;
}

// The interpreter keeps no trace; see retrace.h. The instance is gone, so that its memory can be another's.
void Process::find_backtrace(const ModuleCodePtr& code, const Letter* letter, Outcome& outcome) {
  const bool untold = outcome.kind == OutcomeKind::trapped && outcome.backtrace.empty();
  const Clock::TimePoint started = owner_.clock().now();
  RetraceBudget* const budget = owner_.retrace_budget();
  const bool may = untold && history_.open() && outcome.place != Place::instantiate &&
                   (budget == nullptr || budget->may_start(started));
  if (may && code->retrace->try_enter()) {
    retrace(*code, letter, outcome);
    code->retrace->leave();
    if (budget != nullptr) budget->spend(owner_.clock().now() - started);
  }
  // One that lives long is to say where it traps next: compiled code keeps a trace by itself.
  if (untold && history_.outgrown() && code->hot != nullptr) code->promote();
  history_.close();
}

// Whoever ends the process ends a compilation for it, too.
CodePtr Process::code_to_retrace(const ModuleCode& code) {
  std::stop_source stop;
  {
    MutexLock lock(mutex_);
    if (flag().is_raised()) return nullptr;
    retracing_ = stop;
  }
  const Workers::Pause pause(owner_.workers(), *seat_);
  CodePtr compiled = code.retrace->compiled_of(code, stop.get_token());
  MutexLock lock(mutex_);
  retracing_ = std::stop_source(std::nostopstate);
  return compiled;
}

void Process::retrace(const ModuleCode& code, const Letter* letter, Outcome& outcome) {
  HostSettings settings = owner_.host_settings(*this);
  if (settings.folder != nullptr && settings.permissions.has(Permission::file_write)) return;
  settings.limits.memory_bytes_max =
      std::min(settings.limits.memory_bytes_max, owner_.account().limits()->process_memory_bytes_max);
  const CodePtr compiled = code_to_retrace(code);
  if (compiled == nullptr || flag().is_raised()) return;
  const std::uint64_t from_ns = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
  std::uint64_t fuel = 0;
  Retrace again{.module = code,
                .compiled = *compiled,
                .settings = std::move(settings),
                .seed = owner_.seed(),
                .process = name_,
                .interrupt = flag().flag()};
  outcome.backtrace = again.run(history_, letter, outcome, fuel);
  owner_.account().add_work(fuel, kernel_ns(CLOCK_THREAD_CPUTIME_ID) - from_ns);
}

// Time the guest had a processor. Asking the kernel takes as long as a short call, so of those the time that passed is
// taken instead.
std::uint64_t Process::take_uncharged(std::uint64_t now_ns) {
  constexpr std::uint64_t kShortNs = 500'000;
  const std::uint64_t elapsed = now_ns - std::min(now_ns, started_ns_);
  const std::uint64_t used = elapsed - std::min(elapsed, away_ns_);
  const std::uint64_t rest = used - std::min(used, charged_ns_);
  charged_ns_ += rest;
  return rest < kShortNs ? rest : std::min(rest, processor_ns_since_last_asked());
}

// In a lane time goes on from where the last work left it, or from where a caller is.
void Process::begin_work(Clock::TimePoint started, std::uint64_t virtual_fuel) {
  started_ns_ = to_ns(started);
  away_ns_ = charged_ns_ = turn_from_ns_ = 0;
  if (const Lane* lane = owner_.lane()) {
    const Lane::Time time = lane->time();
    life_.context->set_virtual_start(std::max(time.fuel, virtual_fuel), time.skipped_ms);
  }
}

void Process::charge(std::uint64_t fuel, std::uint64_t now_ns) {
  const std::uint64_t ran = take_uncharged(now_ns);
  owner_.account().add_work(fuel, ran);
  owner_.cpu_share().charge(ran, now_ns);
}

// What a callee spends is its caller's.
void Process::end_work(Clock::TimePoint now, std::uint32_t depth) {
  const std::uint64_t fuel = life_.guest->fuel_used();
  charge(fuel, to_ns(now));
  if (Lane* lane = owner_.lane()) lane->spend(depth == 0 ? fuel : 0, life_.context->skipped_ms());
  life_.context->tell_account();
}

void Process::hold_for_share(std::uint64_t deadline_ns) {
  const Clock::TimePoint from = owner_.clock().now();
  {
    const Workers::Pause pause(owner_.workers(), *seat_);
    MutexLock lock(mutex_);
    while (!flag().is_raised()) {
      const std::uint64_t until = std::min(owner_.cpu_share().may_go_on_at(), deadline_ns);
      if (until <= to_ns(owner_.clock().now())) break;
      changed_.wait_until(mutex_, to_time(until));
    }
  }
  away_ns_ += to_ns(owner_.clock().now()) - to_ns(from);
}

// The one place where a guest of a process waits for time to pass.
void Process::wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill) {
  const Clock::TimePoint from = owner_.clock().now();
  {
    const Workers::Pause pause(owner_.workers(), *seat_);
    wait_for_kill(kill, until_ns);
  }
  away_ns_ += to_ns(owner_.clock().now()) - to_ns(from);
}

// Whoever keeps wanting more than its share has cpu_grace for it, if that is set.
bool Process::held_too_long(std::uint64_t now_ns) {
  if (owner_.cpu_share().may_go_on_at() <= now_ns) {
    held_since_ns_ = 0;
    return false;
  }
  if (held_since_ns_ == 0) held_since_ns_ = now_ns;
  return limits_->cpu_grace > 0 && now_ns - held_since_ns_ > limits_->cpu_grace;
}

// Time that the kernel gave to others was not its own: on a busy machine one that is nearly done would be put aside
// behind those that burn.
bool Process::has_had_its_turn() {
  const std::uint64_t now = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
  const std::uint64_t from = turn_from_ns_ == 0 ? now : turn_from_ns_;
  const bool had = now - from >= static_cast<std::uint64_t>(owner_.workers().turn().count()) / 2;
  if (had || turn_from_ns_ == 0) turn_from_ns_ = now;
  return had;
}

// 0: the guest has ended. Shares are held by the runtime's clock, which need not be the engine's.
std::uint64_t Process::next_turn() {
  const std::uint64_t now_ns = to_ns(owner_.clock().now());
  charge(0, now_ns);
  if (held_too_long(now_ns)) {
    life_.context->ended_by = "cpu_percent_max";
    return 0;
  }
  hold_for_share(allowance_.deadline_ns);
  const Clock::TimePoint from = owner_.clock().now();
  if (!has_had_its_turn())
    return kernel_ns(CLOCK_MONOTONIC) + static_cast<std::uint64_t>(owner_.workers().turn().count());
  const std::uint64_t next =
      owner_.workers().take_turn(to_ns(from), *seat_, {.ended = &flag().flag(), .deadline_ns = allowance_.deadline_ns});
  away_ns_ += to_ns(owner_.clock().now()) - to_ns(from);
  return next;
}

}  // namespace petri
