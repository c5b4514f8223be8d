#include "process/message_handler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "process/account/account_place.h"
#include "process/mailbox/deterministic_queue.h"
#include "process/process.h"
#include "process/turns/process_time.h"
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
  operator Outcome() const {  // NOLINT: the implicit conversion is intended
    Outcome outcome;
    return outcome;
  }
};

}  // namespace

MessageHandler::MessageHandler(Process& process) : process_(process), work_(process.owner()), backtraces_(process) {}

GuestTurns::Bounds MessageHandler::bounds() {
  return {.seat = *seat_, .kill = process_.entrance().flags().running().flag(), .deadline_ns = allowance_.deadline_ns};
}

bool MessageHandler::is_ended() const { return process_.entrance().flags().running().is_raised(); }

// ---- start and end --------------------------------------------------------------------------------------------

Result<Outcome> MessageHandler::start(Start start) {
  seat_ = &Workers::seat_of_this_thread();
  auto outcome = create(std::move(start));
  if (outcome && outcome->kind == OutcomeKind::ok) return outcome;
  const ModuleCodePtr entered = live_.code;
  drop_instance();
  if (outcome) backtraces_.find(*entered, nullptr, *outcome, *seat_);
  return outcome;
}

Result<Outcome> MessageHandler::create(Start start) {
  PETRI_TRY(AccountPlace(process_.services().account, process_.name()).take());
  const ProcessOrigin* const origin = start.origin;
  ProcessOwner& owner = process_.owner();
  live_ = LiveInstance(std::move(start.code), owner.host_settings(process_.name()), owner.seed(),
                       &process_.entrance().flags().running().flag());
  live_.version = start.version;
  live_.context->set_port(&process_.calls());
  target_ = {};
  trial_ = nullptr;
  backtraces_.forget();
  if (origin == nullptr) backtraces_.remember_from_start(live_, start.input);
  publish_code();
  limits_number_ = 0;
  refresh_limits();
  const Clock& clock = process_.services().clock;
  const Clock::TimePoint started = clock.now();
  start_work({}, started);
  work_.turns().forget_holds();  // what the instance before it wanted is not its doing
  work_.turns().wait_for_share(to_ns(started), bounds());
  live_.guest->begin(allowance_, start.input);
  auto end = origin == nullptr ? live_.begin() : live_.continue_from(*origin->image);
  if (origin != nullptr) live_.saw_outside = origin->saw_outside && !live_.context->settings().deterministic;
  if (origin != nullptr && origin->random) live_.context->random = SeededRandom(*origin->random);
  if (origin != nullptr && end && end->kind == EndKind::returned) backtraces_.remember_from(live_, origin->image);
  if (origin == nullptr && end && end->kind == EndKind::returned) end = run_init();
  const Clock::TimePoint now = clock.now();
  end_work({}, now);
  if (!end) return fail(std::move(end.error()));
  Outcome outcome = collect_outcome(live_.code->module(), *end, *live_.guest, *live_.context);
  // Nobody reads an answer here, so none is missed.
  if (outcome.kind == OutcomeKind::output_limit && outcome.returned) outcome.kind = OutcomeKind::ok;
  outcome.tier = live_.tier();
  outcome.wall_time = now - started;
  live_.note_seen(outcome);
  note_origin(outcome);
  work_.name_lateness(outcome);
  return outcome;
}

// The result of petri_init is its answer: any but 0 ends the process with that code.
Result<End> MessageHandler::run_init() {
  if (!live_.code->init) return End{};
  std::uint64_t code = 0;
  PETRI_TRY(End end, live_.guest->call(*live_.code->init, {&code, 1}));
  if (end.kind != EndKind::returned || static_cast<std::int32_t>(code) == 0) return end;
  end.kind = EndKind::exited;
  end.code = static_cast<std::int32_t>(code);
  return end;
}

void MessageHandler::terminate() {
  seat_ = &Workers::seat_of_this_thread();
  if (!live_.code->terminate) return;
  const Clock& clock = process_.services().clock;
  const Clock::TimePoint started = clock.now();
  refresh_limits();
  start_work({}, started);
  live_.guest->begin(allowance_, {});
  std::uint64_t slot = 0;
  const auto end = live_.guest->call(*live_.code->terminate, {&slot, 1});
  const Clock::TimePoint now = clock.now();
  end_work({}, now);
  if (!end) return;
  Outcome outcome = collect_outcome(live_.code->module(), *end, *live_.guest, *live_.context);
  outcome.wall_time = now - started;
  note_origin(outcome);
  work_.name_lateness(outcome);
  process_.owner().terminate_ended(process_, outcome);
}

void MessageHandler::drop_instance() {
  if (live_) AccountPlace(process_.services().account, process_.name()).give_back();
  live_ = {};
  work_.forget_memory();
  process_.owner().instance_gone(process_, process_.incarnation());
}

// ---- the exchange of code -------------------------------------------------------------------------------------

bool MessageHandler::try_revive(LiveInstance&& live) {
  if (!AccountPlace(process_.services().account, process_.name()).try_take()) return false;
  exchange(std::move(live), nullptr);
  return true;
}

void MessageHandler::exchange(LiveInstance&& live, std::shared_ptr<TrialPeriod> trial) {
  live.context->set_port(&process_.calls());
  live.context->not_live_yet = false;
  if (live_) live.context->continue_from(*live_.context);
  live.saw_outside = live.saw_outside || live_.saw_outside;
  target_ = {};
  limits_number_ = 0;
  trial_ = std::move(trial);
  backtraces_.forget();
  live_ = std::move(live);
  publish_code();
  process_.entrance().swap_flags();
  backtraces_.remember_from_here(live_);
}

void MessageHandler::publish_code() {
  tier_.store(live_.tier());
  takes_messages_.store(live_.code->handle.has_value());
  terminates_.store(live_.code->terminate.has_value());
}

// ---- one message ----------------------------------------------------------------------------------------------

Result<const MessageHandler::Target*> MessageHandler::find_target(const Message& message) {
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
Result<void> MessageHandler::enter_command() {
  target_.function.clear();
  Instance& instance = *live_.guest->instance();
  if (instance.command_has_run()) {
    return fail(ErrorCode::rejected,
                fmt::format("the process {} has run its _start, and a WASI command runs once in an instance; use run, "
                            "which makes a fresh one, or restart the sandbox",
                            process_.name()));
  }
  instance.set_command_has_run(true);
  return {};
}

// For a call from another guest the smaller of both bounds holds.
Allowance MessageHandler::allowance_for(const Message& message, Clock::TimePoint started) const {
  const std::uint64_t now = to_ns(started);
  return {.fuel = std::min(limits_->call_fuel_max.value_or(Budget::kFuelUnbounded), message.fuel_max),
          .deadline_ns =
              std::min(now + static_cast<std::uint64_t>(limits_->execution_time_max.count()), message.deadline_ns),
          .call_depth = static_cast<std::uint32_t>(limits_->call_depth_max),
          .turn_ns = now + static_cast<std::uint64_t>(process_.services().workers.first_turn(*seat_).count())};
}

// In a deterministic queue time continues from where the last work left it, or from where a caller is.
void MessageHandler::start_work(const Message& message, Clock::TimePoint started) {
  allowance_ = allowance_for(message, started);
  work_.start(started);
  if (DeterministicQueue* queue = process_.services().queue) {
    const DeterministicQueue::Time time = queue->time();
    live_.context->set_virtual_start(std::max(time.fuel, message.virtual_fuel), time.skipped_ms);
  }
}

// In a deterministic queue the fuel of a callee is its caller's.
void MessageHandler::end_work(const Message& message, Clock::TimePoint now) {
  if (DeterministicQueue* queue = process_.services().queue) {
    queue->spend(message.depth == 0 ? live_.guest->fuel_used() : 0, live_.context->skipped_ms());
  }
  work_.end(live_, now);
}

void MessageHandler::refresh_limits() {
  const TreeAccount& account = process_.services().account;
  const std::uint32_t number = account.limits_number();
  if (number == limits_number_) return;
  limits_number_ = number;
  limits_ = account.limits();
  live_.set_limits(*limits_);
}

Result<Outcome> MessageHandler::handle(const Message& message, bool& ended) {
  PETRI_TRY(const Target* target, find_target(message));
  return handle_at(*target, message, ended);
}

// There is one way out, so that the outcome is made where the caller wants it.
Result<Outcome> MessageHandler::handle_at(const Target& target, const Message& message, bool& ended) {
  seat_ = &Workers::seat_of_this_thread();
  refresh_limits();
  if (live_.may_move() && live_.move_if_hot()) {
    tier_.store(live_.tier());
    backtraces_.forget();
  }
  const Clock& clock = process_.services().clock;
  const Clock::TimePoint started = clock.now();
  chain_ns_ = message.depth > 0 ? message.chain_ns : to_ns(started);
  start_work(message, started);
  work_.turns().wait_for_share(to_ns(started), bounds());
  slots_.resize(std::max<std::size_t>(target.run.slots(), 1));
  write_arguments(message.arguments, target.run, slots_);
  current_ = &message;
  live_.guest->begin(allowance_, message.bytes);
  const auto end = live_.guest->call(target.run.export_number, {slots_.data(), target.run.slots()});
  current_ = nullptr;
  const Clock::TimePoint now = clock.now();
  end_work(message, now);
  auto outcome = finish(message, target, end, ended);
  if (trial_ != nullptr && !ended) [[unlikely]]
    trial_->count();
  if (outcome) {
    outcome->wall_time = now - started;
    if (message.queued_at != Clock::TimePoint{}) outcome->queue_time = started - message.queued_at;
  }
  return outcome;
}

// A handler that does not return 0 has ended its process with that code.
Result<Outcome> MessageHandler::finish(const Message& message, const Target& target, const Result<End>& end,
                                       bool& ended) {
  // Made where the caller wants it, on the path of every call: whatever happens, this is what is returned.
  Result<Outcome> result(std::in_place, NotZeroed{});
  if (!end) {
    ended = true;
    drop_instance();
    backtraces_.forget();
    result = fail(end.error());
    return result;
  }
  Outcome& outcome = *result;
  collect_into(outcome, live_.code->module(), *end, *live_.guest, *live_.context);
  outcome.tier = tier();
  live_.note_seen(outcome);
  note_origin(outcome);
  if (outcome.kind == OutcomeKind::cancelled) [[unlikely]]
    work_.name_lateness(outcome);
  if (live_.may_move()) live_.add_burned(outcome.fuel_used);
  if (outcome.returned) add_values(outcome.values, target.run.signature, slots_);
  if (outcome.returned && message.function.empty() && static_cast<std::int32_t>(slots_[0]) != 0) {
    outcome.kind = OutcomeKind::exited;
    outcome.exit_code = static_cast<std::int32_t>(slots_[0]);
  }
  ended = ends_instance(outcome);
  if (message.kind == MessageKind::call) process_.owner().call_ended(outcome.kind);
  if (backtraces_.wants_messages() && !ended) [[unlikely]]
    backtraces_.remember(live_, message, outcome.fuel_used);
  if (!ended) return result;
  const ModuleCodePtr entered = live_.code;
  const History::Step last = BacktraceFinder::last_step(live_, message);
  drop_instance();
  backtraces_.find(*entered, &last, outcome, *seat_);
  return result;
}

void MessageHandler::note_origin(Outcome& outcome) const {
  outcome.version = live_.version;
  if (live_.context->settings().deterministic) outcome.seed = process_.owner().seed();
}

}  // namespace petri
