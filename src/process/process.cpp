#include "process/process.h"

#include <fmt/format.h>

#include <list>
#include <utility>

#include "host/guest/inside.h"
#include "process/turns/host_work.h"

namespace petri {
namespace {

// Reports a refusal for a limit: it was asked for by a guest in the middle of something, or by the world (nullptr).
void report_refused(const Process& process, HostContext* by, const LimitMet& met) {
  if (by != nullptr) return by->note_met(met.limit, met.wanted, met.allowed);
  process.services().account.report_met(process.name(), met);
}

// A message that no petri_handle would get would never be seen. A call fails by itself.
Result<void> must_take(const Process& process, const Message& message) {
  if (message.kind != MessageKind::send || !message.function.empty() || process.takes_messages()) return {};
  return fail(ErrorCode::not_found,
              fmt::format("the process {} takes no messages: its module exports no function petri_handle; export "
                          "petri_handle () -> i32 from it, or call a function that it exports",
                          process.name()));
}

void cancel_all(const Process& process, std::list<Message>& messages) {
  for (Message& message : messages) {
    if (message.reply) message.reply->give(ended_before_call(process.name()));
  }
}

// A completion keeps the process, unless that has ended, and with it the deterministic queue, if there is one.
bool answer(const Process& process, Reply& reply, Result<Outcome> result, bool ended) {
  if (ended && process.services().queue == nullptr) return reply.give(std::move(result));
  const Inside inside(Inside::What::completion, {.owner = &process.owner(), .name = process.name()});
  return reply.give(std::move(result));
}

}  // namespace

Process::Process(ProcessOwner& owner, std::string name)
    : owner_(owner),
      services_(owner),
      name_(std::move(name)),
      entrance_(*this),
      waits_(entrance_.mutex(), entrance_.flags()),
      calls_(*this, handler_),
      handler_(*this) {}

Process::~Process() { close(); }

// ---- its instances --------------------------------------------------------------------------------------------

Result<Outcome> Process::start(std::uint64_t incarnation, ModuleCodePtr code, std::string_view input,
                               const Origin* origin, std::uint64_t version) {
  const Workers::Visit visit(services_.workers, services_.client);
  entrance_.enter_to_start(incarnation);
  auto outcome = handler_.start({.code = std::move(code), .input = input, .origin = origin, .version = version});
  const bool lives = outcome && outcome->kind == OutcomeKind::ok;
  if (lives && origin != nullptr) entrance_.replace_mailbox(origin->mailbox);
  entrance_.leave(lives);
  return outcome;
}

void Process::stop(std::uint64_t incarnation) {
  const Workers::Visit visit(services_.workers, services_.client);
  const Entrance::ToStop entered = entrance_.enter_to_stop(incarnation);
  if (entered == Entrance::ToStop::gone) return;
  if (entered == Entrance::ToStop::in_order) handler_.terminate();
  handler_.drop_instance();
  handler_.forget_history();
  entrance_.leave(false);
}

void Process::kill(std::uint64_t incarnation) {
  if (entrance_.kill(incarnation)) end_waits();
}

void Process::freeze() {
  std::list<Message> calls = entrance_.hold();
  cancel_all(*this, calls);
}

void Process::close() {
  std::list<Message> dropped;
  if (entrance_.close(dropped)) end_waits();
  cancel_all(*this, dropped);
}

// The flag of the guest is up, so it ends at its next look. Whatever keeps it from looking ends here.
void Process::end_waits() {
  services_.workers.wake_ended(services_.client);
  waits_.end();
}

void Process::end_late(std::uint64_t started_ns) {
  if (entrance_.interrupt_if([&] { return handler_.clock().try_mark_late(started_ns); })) end_waits();
}

// ---- messages -------------------------------------------------------------------------------------------------

Result<void> Process::check_message(std::size_t bytes, HostContext* by) const {
  const std::uint64_t bytes_max = services_.account.message_bytes_max();
  if (bytes <= bytes_max) return {};
  report_refused(*this, by, {.limit = "message_bytes_max", .wanted = bytes, .allowed = bytes_max});
  return fail(ErrorCode::too_large,
              fmt::format("the message for {} has {} bytes and message_bytes_max allows {}", name_, bytes, bytes_max));
}

Result<void> Process::post(Message message) {
  PETRI_TRY(check_message(message.bytes.size(), nullptr));
  return post_from(nullptr, std::move(message));
}

Result<void> Process::post_from(HostContext* by, Message message) {
  PETRI_TRY(must_take(*this, message));
  const std::uint64_t queue_max = services_.account.message_queue_max();
  const std::uint64_t bytes = bytes_of(message);
  if (!services_.account.try_hold(bytes)) {
    report_refused(*this, by,
                   {.limit = "memory_bytes_max",
                    .wanted = services_.account.taken() + bytes,
                    .allowed = services_.account.allowed()});
    return fail(ErrorCode::limit_exceeded, fmt::format("memory_bytes_max leaves no room for a message to {}", name_));
  }
  std::size_t waiting = 0;
  const Entrance::Put put = entrance_.put(std::move(message), queue_max, waiting);
  if (put == Entrance::Put::done) return {};
  // No lock is held: whoever is notified of a limit has locks of its own, under which it may ask this process.
  services_.account.let_go(bytes);
  if (put == Entrance::Put::closed) return ended_before_call(name_);
  report_refused(*this, by, {.limit = "message_queue_max", .wanted = waiting + 1, .allowed = queue_max});
  return fail(ErrorCode::queue_full,
              fmt::format("{} messages wait for {} and message_queue_max allows no more", waiting, name_));
}

Result<Outcome> Process::call(Message&& message, std::optional<Clock::TimePoint> deadline) {
  PETRI_TRY(check_message(message.bytes.size(), nullptr));
  if (!deadline && services_.queue == nullptr && entrance_.try_enter(message, Entrance::Line::keep)) {
    const Workers::Visit visit(services_.workers, services_.client);
    // It may have been stopped before there was anything to be cancelled.
    if (message.stop.stop_requested()) cancel(message.id);
    return handle_and_leave(message);
  }
  const ReplyPtr reply = std::make_shared<Reply>();
  message.reply = reply;
  PETRI_TRY(post(std::move(message)));
  const Workers::Pause pause(services_.workers);
  if (!deadline) return reply->wait();
  if (auto result = reply->wait_until(*deadline)) return std::move(*result);
  if (!reply->abandon()) return reply->wait();
  return fail(ErrorCode::timeout, fmt::format("{} did not answer in time; it goes on until its own limit", name_));
}

bool Process::cancel(std::uint64_t call_id) {
  if (call_id == 0) return false;  // what has no number cannot be meant
  std::optional<Message> waiting;
  switch (entrance_.cancel(call_id, waiting)) {
    case Entrance::Cancelled::unknown: return false;
    case Entrance::Cancelled::interrupted: end_waits(); return true;
    case Entrance::Cancelled::taken_out: break;
  }
  // Without the lock: a completion may call this process again.
  if (waiting->reply) waiting->reply->give(fail(ErrorCode::cancelled, "the call was cancelled before it began"));
  return true;
}

// ---- handling, by the thread that has entered -----------------------------------------------------------------

Result<Outcome> Process::handle_and_leave(const Message& message) {
  bool ended = false;
  auto result = handler_.handle(message, ended);
  ended ? leave_ended(result) : entrance_.leave(true);
  return result;
}

// After a turn others go first.
void Process::drain() {
  const HostWork work(owner_);
  const Clock::TimePoint turn_end = services_.clock.now() + services_.workers.turn();
  for (Message message; entrance_.take_message(message);) {
    if (deliver(message)) return;
    if (services_.clock.now() >= turn_end) return entrance_.hand_over();
  }
}

void Process::handle_next() {
  const HostWork work(owner_);
  if (!entrance_.enter_from_queue()) return;
  Message message;
  if (entrance_.take_message(message) && !deliver(message)) entrance_.leave(true);
}

// Handles a message that was taken, and answers it. True: the process has ended, and been left.
bool Process::deliver(Message& message) {
  bool ended = false;
  auto result = handler_.handle(message, ended);
  const bool late = message.reply && message.reply->settled();
  if (late) owner_.late_answer();
  // An answered call leaves nothing behind: no limit to be counted later, nothing to cancel.
  if (ended) {
    leave_ended(result);
  } else if (message.id != 0) {
    entrance_.end_handler();
  }
  if (message.reply && !late && !answer(*this, *message.reply, std::move(result), ended)) owner_.late_answer();
  return ended;
}

// Code that is on trial may be exchanged for the one before. Then the end is reported by whoever does that.
void Process::leave_ended(const Result<Outcome>& how) {
  const std::shared_ptr<TrialPeriod> trial = handler_.take_trial();
  const std::uint64_t ended = incarnation();
  std::function<void()> then;
  const bool rolls_back = trial != nullptr && owner_.begin_rollback(*this, *trial, how, then);
  entrance_.set_may_revive(rolls_back);
  entrance_.leave(false);
  if (!rolls_back) return owner_.process_ended(*this, ended, how);
  if (then) then();
}

// ---- after a rollback -----------------------------------------------------------------------------------------

Result<void> Process::revive(LiveInstance&& live, const std::function<void()>& before_it_resumes) {
  if (!entrance_.enter_to_revive()) return fail(ErrorCode::not_now, name_ + " was stopped meanwhile");
  if (handler_.try_revive(std::move(live))) {
    if (before_it_resumes) before_it_resumes();
    entrance_.leave(true);
    return {};
  }
  entrance_.leave(false);
  entrance_.set_may_revive(true);
  return fail(ErrorCode::limit_exceeded, "processes_max or memory_bytes_max leaves no room for " + name_);
}

void Process::report_exit(const Result<Outcome>& how) {
  if (entrance_.set_may_revive(false)) owner_.process_not_revived(*this, incarnation(), how);
}

}  // namespace petri
