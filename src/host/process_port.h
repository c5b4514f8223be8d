// The requests that a guest in a sandbox may make of it. Guests outside of one have no port.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

namespace petri {

class HostCall;

// The kind of message that petri_handle got. The numbers are part of ABI 1.
enum class MessageKind : std::int32_t { none = 0, call = 1, send = 2, timer = 3, child_exit = 4 };

struct MessageHead {
  MessageKind kind = MessageKind::none;
  std::string_view sender;  // the name of a process, or nothing when it comes from outside
  std::int64_t tag = 0;     // of a timer the guest's own; of a child's exit its code
};

class HostContext;

// Decides how long a guest may run before others do, and waits on its behalf. Called on the guest's thread.
class TurnPort {
 public:
  virtual ~TurnPort() = default;

  // The guest has run for its turn, and used so much fuel in this piece of work (or more): answers when the next turn
  // ends, or 0 to end the guest as cancelled, or as HostContext::ended_by says.
  virtual std::uint64_t next_turn(HostContext& context, std::uint64_t fuel_used) = 0;
  // Waits on the guest's behalf until this time of the monotonic clock, or until the flag is raised (nullptr: there is
  // none). The worker's permit is another's meanwhile.
  virtual void wait_until(std::uint64_t until_ns, const std::atomic<std::uint32_t>* kill) = 0;
};

// Called on the guest's thread, while it runs. Answers below zero are GuestErrors.
class ProcessPort : public TurnPort {
 public:
  virtual std::string_view name() const = 0;
  // The owner of the process, for Inside; nullptr: no caller can wait for it.
  virtual const void* owner() const { return nullptr; }
  virtual MessageHead message() const = 0;

  virtual std::int32_t send(HostCall& call, std::string_view to, std::string_view bytes) = 0;
  // Waits for the answer, which `reply` then holds; its size is the result. Fuel the callee used is charged to `call`.
  virtual std::int32_t call(HostCall& call, std::string_view to, std::string_view bytes, std::uint32_t timeout_ms,
                            std::string& reply) = 0;
  // Parses the spec on the guest's clock, and charges it to `call`.
  virtual std::int32_t spawn(HostCall& call, std::string_view spec) = 0;
  virtual std::int32_t stop(std::string_view name) = 0;
  virtual std::int32_t timer(HostCall& call, std::uint32_t milliseconds, std::int64_t tag) = 0;
};

}  // namespace petri
