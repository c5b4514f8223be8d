#include "sandbox/calls/calls.h"

#include <fmt/format.h>

#include <algorithm>

#include "host/guest/inside.h"
#include "sandbox/calls/deadlock.h"

namespace petri {

Result<Outcome> Calls::call(std::string_view function, std::vector<Value> arguments, const CallOptions& options) {
  PETRI_TRY(const ProcessPtr process, parts_.processes.addressee(options.process));
  if (Inside::here() != nullptr) [[unlikely]] {
    const Awaited awaited{.address = process->name(), .with_queue = true};
    PETRI_TRY(may_wait_here(parts_.owner, awaited, "call", process->name()));
  }
  if (parts_.containment.is_closed()) [[likely]]
    return call_process(*process, function, std::move(arguments), options);
  PETRI_TRY(const Containment::Entry entry, parts_.containment.enter());
  auto result = call_process(*process, function, std::move(arguments), options);
  parts_.containment.leave(entry, result);
  return result;
}

Result<Outcome> Calls::call_process(Process& process, std::string_view function, std::vector<Value>&& arguments,
                                    const CallOptions& options) {
  // Member by member: an initializer list would first fill all of it with zeros, on the path of every call.
  Message message;
  message.kind = MessageKind::call;
  message.function = function;
  message.arguments = std::move(arguments);
  if (!options.input.empty()) message.bytes = options.input;
  std::optional<Clock::TimePoint> deadline;
  if (options.timeout) deadline = parts_.owner.clock().now() + *options.timeout;
  if (!options.stop.stop_possible()) return process.call(std::move(message), deadline);
  message.id = parts_.completions.next_number();
  message.stop = options.stop;
  const std::stop_callback on_stop(options.stop, [&process, call = message.id] { process.cancel(call); });
  return process.call(std::move(message), deadline);
}

// The time-out is over with the answer, and so is a trial of the breaker.
ReplyPtr Calls::reply_for(Completion completion, Containment::Entry entry, const CallTimer& timer) {
  return std::make_shared<Reply>([this, kept = parts_.owner.keep_alive(), completion = std::move(completion), entry,
                                  timer](Result<Outcome> result) {
    if (timer != nullptr) parts_.timers.cancel(timer->load());
    parts_.containment.leave(entry, result);
    parts_.completions.complete(completion, std::move(result));
  });
}

// The timer keeps nothing of the call, which may be answered long before.
void Calls::give_up_at(Clock::TimePoint time, CallTimer& timer, const ReplyPtr& reply, const std::string& process) {
  const auto give_up = [weak = std::weak_ptr(reply), process] {
    if (const auto late = weak.lock())
      late->give(fail(ErrorCode::timeout, fmt::format("{} did not answer in time", process)));
  };
  timer->store(parts_.timers.at(time, give_up));
}

Result<std::uint64_t> Calls::call_async(std::string_view function, std::vector<Value> arguments, CallOptions options,
                                        Completion completion) {
  PETRI_TRY(const ProcessPtr process, parts_.processes.addressee(options.process));
  PETRI_TRY(const Containment::Entry entry, parts_.containment.enter());
  const std::uint64_t number = parts_.completions.next_number();
  CallTimer timer = options.timeout ? std::make_shared<std::atomic<TimerId>>(0) : nullptr;
  const ReplyPtr reply = reply_for(std::move(completion), entry, timer);
  // Before anybody else can answer, so that whoever does finds the timer.
  if (timer != nullptr) give_up_at(parts_.owner.clock().now() + *options.timeout, timer, reply, process->name());
  auto posted = process->post({.kind = MessageKind::call,
                               .function = std::string(function),
                               .arguments = std::move(arguments),
                               .bytes = std::move(options.input),
                               .reply = reply,
                               .id = number});
  if (posted) return number;
  if (timer != nullptr) parts_.timers.cancel(timer->load());
  parts_.containment.leave(entry, fail(posted.error()));
  return fail(std::move(posted.error()));
}

// A trial of the breaker wants to know how the message was handled.
Result<void> Calls::send(std::string_view bytes, std::string_view process) {
  PETRI_TRY(const ProcessPtr receiver, parts_.processes.addressee(process));
  PETRI_TRY(const Containment::Entry entry, parts_.containment.enter());
  Message message{.kind = MessageKind::send, .bytes = std::string(bytes)};
  if (entry == Containment::Entry::trial) message.reply = reply_for(nullptr, entry, nullptr);
  auto posted = receiver->post(std::move(message));
  if (!posted) parts_.containment.leave(entry, fail(posted.error()));
  return posted;
}

Result<void> Calls::cancel(std::uint64_t number) {
  const std::vector<ProcessPtr> processes = parts_.processes.all();
  if (std::ranges::any_of(processes, [number](const ProcessPtr& process) { return process->cancel(number); }))
    return {};
  if (parts_.runs.cancel(number)) {
    parts_.owner.workers().wake_ended(parts_.owner.client());
    return {};
  }
  return fail(ErrorCode::not_found,
              fmt::format("the call or run {} is neither waiting nor running in {}", number, parts_.sandbox));
}

}  // namespace petri
