// What one guest asks of another.
#include <algorithm>
#include <atomic>

#include "host/host_call.h"
#include "process/process.h"
#include "process/process_time.h"

namespace petri {
namespace {

// Calls between guests have numbers too, which no call from outside has.
std::uint64_t next_guest_call() {
  static std::atomic<std::uint64_t> last{std::uint64_t{1} << 63};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

}  // namespace

std::int32_t Process::send_from_guest(HostCall& host_call, std::string_view to, std::string_view bytes) {
  const ProcessPtr receiver = owner_.find_process(to);
  if (receiver == nullptr) return static_cast<std::int32_t>(GuestError::not_found);
  // Before it is copied: what is too large costs nothing.
  if (!receiver->check_message(bytes.size(), this)) return static_cast<std::int32_t>(GuestError::too_large);
  auto copy = host_call.copy(bytes);
  if (!copy) return static_cast<std::int32_t>(GuestError::cancelled);
  const auto posted =
      receiver->post_from(this, {.kind = MessageKind::send, .bytes = std::move(*copy), .sender = name_});
  if (posted) return 0;
  switch (posted.error().code) {
    case ErrorCode::too_large: return static_cast<std::int32_t>(GuestError::too_large);
    case ErrorCode::queue_full: return static_cast<std::int32_t>(GuestError::queue_full);
    case ErrorCode::limit_exceeded: return static_cast<std::int32_t>(GuestError::limit_exceeded);
    default: return static_cast<std::int32_t>(GuestError::not_found);
  }
}

std::uint64_t Process::chain_start() const {
  MutexLock lock(mutex_);
  return mailbox_.chain_start(chain_ns_);
}

std::int32_t Process::call_from_guest(HostCall& host_call, std::string_view to, std::string_view bytes,
                                      std::uint32_t timeout_ms, std::string& reply) {
  const auto answer = [](GuestError error) { return static_cast<std::int32_t>(error); };
  const ProcessPtr callee = owner_.find_process(to);
  if (callee == nullptr) return answer(GuestError::not_found);
  if (!callee->check_message(bytes.size(), this)) return answer(GuestError::too_large);
  auto copy = host_call.copy(bytes);
  if (!copy) return answer(GuestError::cancelled);
  const std::uint32_t depth = (current_ == nullptr ? 0 : current_->depth) + 1;
  if (depth > kGuestCallDepthMax) return answer(GuestError::too_deep);
  {
    MutexLock lock(owner_.waits());
    for (const Process* next = callee.get(); next != nullptr; next = next->waits_for_) {
      if (next == this) return answer(GuestError::deadlock);
    }
    waits_for_ = callee.get();
  }
  const Clock::TimePoint now = clock_.now();
  const std::uint64_t used = live_.context->fuel_before + host_call.fuel_used();
  Message message{.kind = MessageKind::call,
                  .bytes = std::move(*copy),
                  .sender = name_,
                  .id = next_guest_call(),
                  .fuel_max = allowance_.fuel - std::min(allowance_.fuel, used),
                  .deadline_ns = allowance_.deadline_ns,
                  .depth = depth,
                  .chain_ns = chain_start(),
                  .virtual_fuel = live_.context->virtual_start_fuel() + used};
  std::optional<Clock::TimePoint> deadline;
  if (timeout_ms > 0) deadline = now + std::chrono::milliseconds(timeout_ms);
  auto result = ask(*callee, std::move(message), deadline);
  turns_.add_away(to_ns(clock_.now()) - to_ns(now));
  {
    MutexLock lock(owner_.waits());
    waits_for_ = nullptr;
  }
  if (flag().is_raised()) host_call.stop(EndKind::cancelled);
  if (!result) {
    switch (result.error().code) {
      case ErrorCode::timeout: return answer(GuestError::timeout);
      case ErrorCode::too_large: return answer(GuestError::too_large);
      case ErrorCode::queue_full: return answer(GuestError::queue_full);
      case ErrorCode::not_found: return answer(GuestError::not_found);
      default: return answer(GuestError::cancelled);
    }
  }
  host_call.charge(result->fuel_used);
  turns_.add_charged(result->fuel_used);
  // In a deterministic queue nobody waits: what counts is the time that the callee has spent.
  const bool late = timeout_ms > 0 && result->fuel_used / HostContext::kFuelPerMillisecond >= timeout_ms;
  if (queue_ != nullptr && late) return answer(GuestError::timeout);
  if (result->kind == OutcomeKind::deadline) return answer(GuestError::timeout);
  const bool cut = result->kind == OutcomeKind::output_limit && result->returned;
  if (result->kind != OutcomeKind::ok && !cut) return answer(GuestError::cancelled);
  if (!live_.context->reply_bytes.try_add(*live_.context, heap_bytes(result->output)))
    return answer(GuestError::limit_exceeded);
  reply = std::move(result->output);
  return static_cast<std::int32_t>(reply.size());
}

// On this thread when the callee is idle and may take its time; else in its mailbox, and this guest is put aside.
Result<Outcome> Process::ask(Process& callee, Message message, std::optional<Clock::TimePoint> deadline) {
  if (queue_ != nullptr) {
    if (callee.try_enter(message, Line::jump)) return ask_here(callee, std::move(message));
    return fail(ErrorCode::cancelled, "the callee is not there");
  }
  if (!deadline && callee.try_enter(message, Line::keep)) return ask_here(callee, std::move(message));
  const ReplyPtr answer = std::make_shared<Reply>();
  const std::uint64_t id = message.id;
  message.reply = answer;
  PETRI_TRY(callee.post_from(this, std::move(message)));
  auto result = wait_for(answer, deadline);
  // Nobody waits for what the callee does for a guest that was ended.
  if (flag().is_raised()) callee.cancel(id);
  return result;
}

// The callee has been entered. Whoever ends this guest meanwhile ends what the callee does for it.
Result<Outcome> Process::ask_here(Process& callee, Message message) {
  {
    MutexLock lock(mutex_);
    helper_ = {callee.shared_from_this(), message.id};
  }
  // One that came just before found no helper.
  if (flag().is_raised()) callee.cancel(message.id);
  auto result = callee.handle_and_leave(message);
  MutexLock lock(mutex_);
  helper_ = {};
  return result;
}

Result<Outcome> Process::wait_for(const ReplyPtr& answer, std::optional<Clock::TimePoint> deadline) {
  {
    MutexLock lock(mutex_);
    if (flag().is_raised()) return fail(ErrorCode::cancelled, "the caller was ended");
    awaited_ = answer;
  }
  const Clock::TimePoint own = to_time(allowance_.deadline_ns);
  const Workers::Pause pause(workers_, *seat_, &flag().flag());
  auto result = answer->wait_until(deadline ? std::min(*deadline, own) : own);
  if (!result && !answer->abandon()) result = answer->wait();
  MutexLock lock(mutex_);
  awaited_ = nullptr;
  if (result) return std::move(*result);
  return fail(ErrorCode::timeout, "the callee did not answer in time");
}

}  // namespace petri
