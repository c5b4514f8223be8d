// Requests of a process's guest to other processes and to its sandbox.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "host/process_port.h"
#include "petri/outcome.h"
#include "petri/result.h"
#include "process/mailbox/message.h"
#include "process/mailbox/reply.h"

namespace petri {

class HostCall;
class HostContext;
class MessageHandler;
class Process;

// How deep guests may call one another.
constexpr std::uint32_t kGuestCallDepthMax = 16;

// Called by host functions, on the thread that has entered the process or on one that this thread waits for: a guest
// that needs more stack runs elsewhere. What waits or runs for it here uses the seat of the thread that has entered. No
// lock is held when another process is entered or the sandbox is asked.
//
// A call to an idle process runs here, without a hand-over; else this guest is put aside until the answer is there. A
// call that would close a ring of guests which wait for one another is refused before anybody waits.
class GuestCalls final : public ProcessPort {
 public:
  // Both outlive it.
  GuestCalls(Process& process, MessageHandler& handler) : process_(process), handler_(handler) {}

  // For what the sandbox does for this guest: waits for an answer as long as the guest may run. An Error when that time
  // is over, or when the guest was ended meanwhile.
  Result<Outcome> wait_for(const ReplyPtr& reply, std::optional<Clock::TimePoint> deadline);
  // A limit refused what this guest asked for.
  void note_met(std::string_view limit, std::uint64_t wanted, std::uint64_t allowed);

  std::string_view name() const override;
  const void* owner() const override;
  MessageHead message() const override;
  std::int32_t send(HostCall& call, std::string_view to, std::string_view bytes) override;
  std::int32_t call(HostCall& call, std::string_view to, std::string_view bytes, std::uint32_t timeout_ms,
                    std::string& reply) override;
  std::int32_t spawn(HostCall& call, std::string_view spec) override;
  std::int32_t stop(std::string_view name) override;
  std::int32_t timer(HostCall& call, std::uint32_t milliseconds, std::int64_t tag) override;
  std::uint64_t next_turn(HostContext& context, std::uint64_t fuel_used) override;
  void wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill) override;

 private:
  template <typename Act>
  std::int32_t remembered(HostCall& call, const std::string* reply, Act act);
  std::int32_t send_to(HostCall& call, std::string_view to, std::string_view bytes);
  std::int32_t call_to(HostCall& call, std::string_view to, std::string_view bytes, std::uint32_t timeout_ms,
                       std::string& reply);
  Message message_for(HostCall& call, std::string bytes, std::uint32_t depth) const;
  std::int32_t take_answer(HostCall& call, Result<Outcome> result, std::uint32_t timeout_ms, std::string& reply);
  bool try_wait_for(Process& callee);
  void wait_for_nobody();
  Result<Outcome> ask(Process& callee, Message message, std::optional<Clock::TimePoint> deadline);
  Result<Outcome> ask_here(Process& callee, const Message& message);

  Process& process_;
  MessageHandler& handler_;
  Process* waits_for_ = nullptr;  // guarded by ProcessServices::waits()
};

}  // namespace petri
