// How a process handles one message: its budget, its turns, and what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/kernel_clock.h"
#include "process/process.h"
#include "process/process_time.h"
#include "process/retrace.h"
#include "run/collect_outcome.h"

namespace petri {
namespace {

// The instance is of no use any more.
bool ends_instance(const Outcome& outcome) {
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

}  // namespace

Result<const Process::Target*> Process::find_target(const Message& message) {
  const std::string_view function = message.function.empty() ? "petri_handle" : std::string_view(message.function);
  const bool known = target_.function == function && target_.run.signature.params.size() == message.arguments.size() &&
                     std::ranges::equal(target_.run.signature.params, message.arguments, {}, {}, &Value::type);
  if (known) return &target_;
  PETRI_TRY(const RunTarget run,
            find_run_target(live_.code->module(), {.function = std::string(function), .arguments = message.arguments}));
  target_ = {.function = std::string(function), .run = run};
  if (function == kCommandStart) PETRI_TRY(enter_command());
  return &target_;
}

// A WASI command runs once in an instance: what it has read, closed and allocated is as it left it. It is not
// remembered as a target, so that every `_start` comes here.
Result<void> Process::enter_command() {
  target_.function.clear();
  Instance& instance = *live_.guest->instance();
  if (instance.command_has_run()) {
    return fail(ErrorCode::rejected,
                fmt::format("the process {} has run its _start, and a WASI command runs once in an instance; use run, "
                            "which makes a fresh one, or restart the sandbox",
                            name_));
  }
  instance.set_command_has_run(true);
  return {};
}

Allowance Process::allowance_for(const SandboxLimits& limits, const Message& message, Clock::TimePoint started) const {
  const std::uint64_t now = to_ns(started);
  return {
      .fuel = std::min(limits.call_fuel_max.value_or(Budget::kFuelUnbounded), message.fuel_max),
      .deadline_ns = std::min(now + static_cast<std::uint64_t>(limits.execution_time_max.count()), message.deadline_ns),
      .call_depth = static_cast<std::uint32_t>(limits.call_depth_max),
      .turn_ns = now + static_cast<std::uint64_t>(workers_.turn().count())};
}

void Process::refresh_limits() {
  const std::uint32_t number = account_.limits_number();
  if (number == limits_number_) return;
  limits_number_ = number;
  limits_ = account_.limits();
  live_.set_limits(*limits_);
}

Result<Outcome> Process::handle(Message& message, bool& ended) {
  PETRI_TRY(const Target* target, find_target(message));
  return handle_at(*target, message, ended);
}

// One way out: the outcome is made where the caller wants it.
Result<Outcome> Process::handle_at(const Target& target, const Message& message, bool& ended) {
  seat_ = &Workers::seat_of_this_thread();
  refresh_limits();
  if (live_.may_move() && live_.move_if_hot()) {
    tier_.store(live_.tier());
    history_.close();
  }
  const Clock::TimePoint started = clock_.now();
  allowance_ = allowance_for(*limits_, message, started);
  chain_ns_ = message.depth > 0 ? message.chain_ns : to_ns(started);
  begin_work(started, message.virtual_fuel);
  turns_.wait_for_share(to_ns(started), bounds());
  slots_.resize(std::max<std::size_t>(target.run.slots(), 1));
  for (std::size_t index = 0; index < message.arguments.size(); ++index)
    slots_[index] = message.arguments[index].bits();
  current_ = &message;
  live_.guest->begin(allowance_, message.bytes);
  const auto end = live_.guest->call(target.run.export_number, {slots_.data(), target.run.slots()});
  current_ = nullptr;
  const Clock::TimePoint now = clock_.now();
  end_work(now, message.depth);
  auto outcome = finish_message(message, target, end, ended);
  if (trial_ != nullptr && !ended) [[unlikely]]
    trial_->count();
  if (outcome) {
    outcome->wall_time = now - started;
    if (message.queued_at != Clock::TimePoint{}) outcome->queue_time = started - message.queued_at;
  }
  return outcome;
}

// A handler that does not return 0 has ended its process with that code.
Result<Outcome> Process::finish_message(const Message& message, const Target& target, const Result<End>& end,
                                        bool& ended) {
  // Made where the caller wants it, on the path of every call: whatever happens, this is what is returned.
  Result<Outcome> result(std::in_place, NotZeroed{});
  if (!end) {
    ended = true;
    end_instance();
    history_.close();
    result = fail(end.error());
    return result;
  }
  Outcome& outcome = *result;
  collect_into(outcome, live_.code->module(), *end, *live_.guest, *live_.context);
  outcome.tier = tier_.load(std::memory_order_relaxed);
  live_.note_seen(outcome);
  note_origin(outcome);
  if (outcome.kind == OutcomeKind::cancelled) [[unlikely]]
    note_late(outcome);
  if (live_.may_move()) live_.add_burned(outcome.fuel_used);
  if (outcome.returned) add_values(outcome.values, target.run.signature, slots_);
  if (outcome.returned && message.function.empty() && static_cast<std::int32_t>(slots_[0]) != 0) {
    outcome.kind = OutcomeKind::exited;
    outcome.exit_code = static_cast<std::int32_t>(slots_[0]);
  }
  ended = ends_instance(outcome);
  if (message.kind == MessageKind::call) owner_.call_ended(outcome.kind);
  if (history_.watches() && !ended) [[unlikely]]
    remember(message, outcome.fuel_used);
  if (!ended) return result;
  const ModuleCodePtr entered = live_.code;
  const History::Step last = History::step_of(message, 0, virtual_time());
  end_instance();
  find_backtrace(entered, &last, outcome);
  return result;
}

// ---- where it trapped -----------------------------------------------------------------------------------------

void Process::remember_from_start(std::string_view input) {
  if (live_.tier() != Tier::interpreted || !live_.code->repeatable) return;
  history_.start(input, live_.movable() ? History::Renewable::yes : History::Renewable::no);
}

void Process::remember_from(std::shared_ptr<const InstanceImage> image) {
  if (live_.tier() != Tier::interpreted || !live_.code->repeatable) return;
  history_.start_from({.image = std::move(image), .random = live_.context->random.state()});
}

// Between two messages. What is large is not looked through: whoever waits for the process would wait for that.
void Process::remember_from_here() {
  constexpr std::uint64_t kMemoryBytesMax = std::uint64_t{16} << 20;
  if (live_.tier() != Tier::interpreted || !live_.code->repeatable || !live_.movable()) return;
  Instance& instance = *live_.guest->instance();
  if (memory_size_of(instance) > kMemoryBytesMax) return;
  auto image = InstanceImage::capture(instance, {.is_ended = [this] { return flag().is_raised(); }});
  if (image) remember_from(std::make_shared<const InstanceImage>(std::move(*image)));
}

void Process::remember(const Message& message, std::uint64_t fuel_used) {
  if (history_.open()) history_.add(message, fuel_used, virtual_time());
  if (history_.wants_image(fuel_used, live_.guest->memory_bytes())) remember_from_here();
}

VirtualTime Process::virtual_time() const {
  return {.fuel = live_.context->virtual_start_fuel(), .milliseconds = live_.context->virtual_start_ms()};
}

// The interpreter keeps no trace; see retrace.h. The instance is gone, so that its memory can be another's.
void Process::find_backtrace(const ModuleCodePtr& code, const History::Step* last, Outcome& outcome) {
  const bool untold = outcome.kind == OutcomeKind::trapped && outcome.backtrace.empty();
  const bool unknown = !history_.open();  // it has done too much since an image of it was made, or cannot be repeated
  const Clock::TimePoint started = clock_.now();
  RetraceBudget* const budget = owner_.retrace_budget();
  const bool may = untold && history_.open() && outcome.place != Place::instantiate &&
                   (budget == nullptr || budget->may_start(started));
  if (may && code->retrace->try_enter()) {
    retrace(*code, last, outcome);
    code->retrace->leave();
    if (budget != nullptr) budget->spend(clock_.now() - started);
  }
  // Such a one is to say where it traps next: compiled code keeps a trace by itself.
  if (untold && unknown && code->hot != nullptr) {
    code->promote(static_cast<const MemoryAccount*>(&account_));  // the instance is gone
  }
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
  const Workers::Pause pause(workers_, *seat_);
  CodePtr compiled = code.retrace->compiled_of(code, stop.get_token());
  MutexLock lock(mutex_);
  retracing_ = std::stop_source(std::nostopstate);
  return compiled;
}

void Process::retrace(const ModuleCode& code, const History::Step* last, Outcome& outcome) {
  HostSettings settings = owner_.host_settings(name_);
  if (settings.folder != nullptr && settings.permissions.has(Permission::file_write)) return;
  settings.limits.memory_bytes_max =
      std::min(settings.limits.memory_bytes_max, account_.limits()->process_memory_bytes_max);
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
  outcome.backtrace = again.run(history_, last, outcome, fuel);
  account_.add_work(fuel, kernel_ns(CLOCK_THREAD_CPUTIME_ID) - from_ns);
}

// In a deterministic queue time goes on from where the last work left it, or from where a caller is.
void Process::begin_work(Clock::TimePoint started, std::uint64_t virtual_fuel) {
  turns_.begin(to_ns(started));
  work_began_ns_.store(to_ns(started), std::memory_order_relaxed);
  if (queue_ != nullptr) {
    const DeterministicQueue::Time time = queue_->time();
    live_.context->set_virtual_start(std::max(time.fuel, virtual_fuel), time.skipped_ms);
  }
}

// What a callee spends is its caller's.
void Process::end_work(Clock::TimePoint now, std::uint32_t depth) {
  const std::uint64_t fuel = live_.guest->fuel_used();
  memory_bytes_.store(live_.guest->memory_bytes(), std::memory_order_relaxed);
  turns_.charge(fuel, to_ns(now));
  if (queue_ != nullptr) queue_->spend(depth == 0 ? fuel : 0, live_.context->skipped_ms());
  live_.context->tell_account();
}

GuestTurns::Bounds Process::bounds() {
  return {.seat = *seat_, .kill = flag().flag(), .deadline_ns = allowance_.deadline_ns};
}

}  // namespace petri
