// Finds out where an interpreted process trapped.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "petri/outcome.h"
#include "process/history/history.h"
#include "process/instance/live_instance.h"
#include "process/instance/module_code.h"
#include "process/mailbox/message.h"
#include "process/turns/workers.h"

namespace petri {

class Process;

// The interpreter keeps no trace, so this remembers what a process was given for as long as that is little (History),
// and once the process has trapped repeats it in compiled code (Retrace). Compiled processes, and those that cannot be
// repeated, are not remembered and cost one comparison a message. Only the thread that has entered the process uses it.
class BacktraceFinder {
 public:
  // The process outlives it.
  explicit BacktraceFinder(Process& process);

  // Remembers from here on: from the start of the instance, from an image that it was restored from, or from an image
  // that is made of it now, between two messages. Nothing is remembered where that does not pay.
  void remember_from_start(const LiveInstance& live, std::string_view input);
  void remember_from(const LiveInstance& live, std::shared_ptr<const InstanceImage> image);
  void remember_from_here(const LiveInstance& live);
  // A message was handled, and the process lives.
  void remember(const LiveInstance& live, const Message& message, std::uint64_t fuel_used);
  // The sandbox answered something that the guest asked for.
  void remember(History::Answer answer) { history_.add(std::move(answer)); }
  bool wants_messages() const { return history_.watches(); }
  bool wants_answers() const { return history_.open(); }
  void forget() { history_.close(); }

  // The part of the last message that is needed to repeat it. The instance still exists.
  static History::Step last_step(const LiveInstance& live, const Message& message);
  // Gives the outcome of a process that has trapped its backtrace, if that can be found in time, and forgets the rest.
  // The instance is gone already, so that its memory can be used. Without a last message the start of the process ended
  // like this.
  void find(const ModuleCode& code, const History::Step* last, Outcome& outcome, Workers::Seat& seat);

 private:
  static bool can_repeat(const LiveInstance& live);
  bool is_ended() const;
  void repeat(const ModuleCode& code, const History::Step* last, Outcome& outcome, Workers::Seat& seat);
  CodePtr compile(const ModuleCode& code, Workers::Seat& seat);

  Process& process_;
  History history_;
};

}  // namespace petri
