#include "process/guest_calls.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <utility>

#include "host/host_call.h"
#include "process/mailbox/deterministic_queue.h"
#include "process/process.h"
#include "process/turns/process_time.h"

namespace petri {
namespace {

std::int32_t answer(GuestError error) { return static_cast<std::int32_t>(error); }

// Calls between guests have numbers too, which no call from outside has.
std::uint64_t next_guest_call() {
  static std::atomic<std::uint64_t> last{std::uint64_t{1} << 63};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

std::int32_t answer_to_send(const Result<void>& posted) {
  if (posted) return 0;
  switch (posted.error().code) {
    case ErrorCode::too_large: return answer(GuestError::too_large);
    case ErrorCode::queue_full: return answer(GuestError::queue_full);
    case ErrorCode::limit_exceeded: return answer(GuestError::limit_exceeded);
    default: return answer(GuestError::not_found);
  }
}

std::int32_t answer_to_call(const Error& error) {
  switch (error.code) {
    case ErrorCode::timeout: return answer(GuestError::timeout);
    case ErrorCode::too_large: return answer(GuestError::too_large);
    case ErrorCode::queue_full: return answer(GuestError::queue_full);
    case ErrorCode::not_found: return answer(GuestError::not_found);
    default: return answer(GuestError::cancelled);
  }
}

}  // namespace

// ---- what the host functions call -----------------------------------------------------------------------------

std::string_view GuestCalls::name() const { return process_.name(); }

const void* GuestCalls::owner() const { return &process_.owner(); }

MessageHead GuestCalls::message() const {
  const Message* message = handler_.current();
  if (message == nullptr) return {};
  return {.kind = message->kind, .sender = message->sender, .tag = message->tag};
}

// Keeps what was answered for as long as what the process did can be repeated.
template <typename Act>
std::int32_t GuestCalls::remembered(HostCall& call, const std::string* reply, Act act) {
  if (!handler_.backtraces().wants_answers()) return act();
  const std::uint64_t before = call.fuel_used();
  const std::int32_t code = act();
  const std::uint64_t fuel = call.fuel_used() - before;
  if (handler_.backtraces().wants_answers()) {
    handler_.backtraces().remember({.code = code, .reply = reply == nullptr ? std::string() : *reply, .fuel = fuel});
  }
  return code;
}

std::int32_t GuestCalls::send(HostCall& call, std::string_view to, std::string_view bytes) {
  return remembered(call, nullptr, [&] { return send_to(call, to, bytes); });
}

std::int32_t GuestCalls::call(HostCall& call, std::string_view to, std::string_view bytes, std::uint32_t timeout_ms,
                              std::string& reply) {
  const Workers::SameSeat seat(handler_.seat());
  return remembered(call, &reply, [&] { return call_to(call, to, bytes, timeout_ms, reply); });
}

std::int32_t GuestCalls::spawn(HostCall& call, std::string_view spec) {
  const Workers::SameSeat seat(handler_.seat());
  return remembered(call, nullptr, [&] { return process_.owner().spawn(process_, call, spec); });
}

std::int32_t GuestCalls::stop(std::string_view name) {
  const Workers::SameSeat seat(handler_.seat());
  const std::int32_t code = process_.owner().stop_child(process_, name);
  if (handler_.backtraces().wants_answers()) handler_.backtraces().remember({.code = code, .reply = {}, .fuel = 0});
  return code;
}

std::int32_t GuestCalls::timer(HostCall& call, std::uint32_t milliseconds, std::int64_t tag) {
  return remembered(call, nullptr, [&] {
    return process_.owner().start_timer(process_, call.context.elapsed_ms(call.fuel_used()), milliseconds, tag);
  });
}

std::uint64_t GuestCalls::next_turn(HostContext& context, std::uint64_t fuel_used) {
  return handler_.clock().turns().next(context, fuel_used, handler_.bounds());
}

void GuestCalls::wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill) {
  handler_.clock().turns().wait_until(until_ns, kill, handler_.seat());
}

// ---- messages -------------------------------------------------------------------------------------------------

std::int32_t GuestCalls::send_to(HostCall& call, std::string_view to, std::string_view bytes) {
  const ProcessPtr receiver = process_.owner().find_process(to);
  if (receiver == nullptr) return answer(GuestError::not_found);
  HostContext* const by = handler_.live().context.get();
  // Before it is copied: what is too large costs nothing.
  if (!receiver->check_message(bytes.size(), by)) return answer(GuestError::too_large);
  auto copy = call.copy(bytes);
  if (!copy) return answer(GuestError::cancelled);
  return answer_to_send(
      receiver->post_from(by, {.kind = MessageKind::send, .bytes = std::move(*copy), .sender = process_.name()}));
}

// ---- calls ----------------------------------------------------------------------------------------------------

std::int32_t GuestCalls::call_to(HostCall& call, std::string_view to, std::string_view bytes, std::uint32_t timeout_ms,
                                 std::string& reply) {
  const ProcessPtr callee = process_.owner().find_process(to);
  if (callee == nullptr) return answer(GuestError::not_found);
  if (!callee->check_message(bytes.size(), handler_.live().context.get())) return answer(GuestError::too_large);
  auto copy = call.copy(bytes);
  if (!copy) return answer(GuestError::cancelled);
  const std::uint32_t depth = (handler_.current() == nullptr ? 0 : handler_.current()->depth) + 1;
  if (depth > kGuestCallDepthMax) return answer(GuestError::too_deep);
  if (!try_wait_for(*callee)) return answer(GuestError::deadlock);
  const Clock& clock = process_.services().clock;
  const Clock::TimePoint now = clock.now();
  std::optional<Clock::TimePoint> deadline;
  if (timeout_ms > 0) deadline = now + std::chrono::milliseconds(timeout_ms);
  auto result = ask(*callee, message_for(call, std::move(*copy), depth), deadline);
  handler_.clock().turns().add_away(to_ns(clock.now()) - to_ns(now));
  wait_for_nobody();
  if (handler_.is_ended()) call.stop(EndKind::cancelled);
  return take_answer(call, std::move(result), timeout_ms, reply);
}

// The callee has what is left of this guest's fuel and time.
Message GuestCalls::message_for(HostCall& call, std::string bytes, std::uint32_t depth) const {
  const HostContext& context = *handler_.live().context;
  const Allowance& allowance = handler_.allowance();
  const std::uint64_t used = context.fuel_before + call.fuel_used();
  return {.kind = MessageKind::call,
          .bytes = std::move(bytes),
          .sender = process_.name(),
          .id = next_guest_call(),
          .fuel_max = allowance.fuel - std::min(allowance.fuel, used),
          .deadline_ns = allowance.deadline_ns,
          .depth = depth,
          .chain_ns = process_.entrance().chain_start(handler_.chain_ns()),
          .virtual_fuel = context.virtual_start_fuel() + used};
}

std::int32_t GuestCalls::take_answer(HostCall& call, Result<Outcome> result, std::uint32_t timeout_ms,
                                     std::string& reply) {
  if (!result) return answer_to_call(result.error());
  call.charge(result->fuel_used);
  handler_.clock().turns().add_charged(result->fuel_used);
  // In a deterministic queue nobody waits: what counts is the time that the callee has spent.
  const bool late = timeout_ms > 0 && result->fuel_used / HostContext::kFuelPerMillisecond >= timeout_ms;
  if (process_.services().queue != nullptr && late) return answer(GuestError::timeout);
  if (result->kind == OutcomeKind::deadline) return answer(GuestError::timeout);
  const bool cut = result->kind == OutcomeKind::output_limit && result->returned;
  if (result->kind != OutcomeKind::ok && !cut) return answer(GuestError::cancelled);
  HostContext& context = *handler_.live().context;
  if (!context.reply_bytes.try_add(context, heap_bytes(result->output))) return answer(GuestError::limit_exceeded);
  reply = std::move(result->output);
  return static_cast<std::int32_t>(reply.size());
}

// Returns false if a process on the way from the callee to whom it waits for is this one: all would wait for ever.
bool GuestCalls::try_wait_for(Process& callee) {
  MutexLock lock(process_.owner().waits());
  for (Process* next = &callee; next != nullptr; next = next->calls().waits_for_) {
    if (next == &process_) return false;
  }
  waits_for_ = &callee;
  return true;
}

void GuestCalls::wait_for_nobody() {
  MutexLock lock(process_.owner().waits());
  waits_for_ = nullptr;
}

// On this thread when the callee is idle and may take its time; else in its mailbox, and this guest is put aside.
Result<Outcome> GuestCalls::ask(Process& callee, Message message, std::optional<Clock::TimePoint> deadline) {
  if (process_.services().queue != nullptr) {
    if (callee.entrance().try_enter(message, Entrance::Line::jump)) return ask_here(callee, message);
    return fail(ErrorCode::cancelled, "the callee is not there");
  }
  if (!deadline && callee.entrance().try_enter(message, Entrance::Line::keep)) return ask_here(callee, message);
  const ReplyPtr reply = std::make_shared<Reply>();
  const std::uint64_t id = message.id;
  message.reply = reply;
  PETRI_TRY(callee.post_from(handler_.live().context.get(), std::move(message)));
  auto result = wait_for(reply, deadline);
  // Nobody waits for what the callee does for a guest that was ended.
  if (handler_.is_ended()) callee.cancel(id);
  return result;
}

// The callee has been entered. Whoever ends this guest meanwhile ends what the callee does for it.
Result<Outcome> GuestCalls::ask_here(Process& callee, const Message& message) {
  // A guest that was ended just before had no callee yet, so the end is looked for now.
  const GuestWaits::Wait wait(process_.waits(), GuestWaits::Callee{callee.shared_from_this(), message.id});
  if (!wait) callee.cancel(message.id);
  return callee.handle_and_leave(message);
}

Result<Outcome> GuestCalls::wait_for(const ReplyPtr& reply, std::optional<Clock::TimePoint> deadline) {
  const Clock::TimePoint own = to_time(handler_.allowance().deadline_ns);
  return process_.waits().wait_for(reply, deadline ? std::min(*deadline, own) : own, process_.services().workers,
                                   handler_.seat());
}

void GuestCalls::note_met(std::string_view limit, std::uint64_t wanted, std::uint64_t allowed) {
  handler_.live().context->note_met(limit, wanted, allowed);
}

}  // namespace petri
