// The messages that wait for a process, and which of them may enter.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "process/account/tree_account.h"
#include "process/mailbox/message.h"

namespace petri {

// Messages wait in the order they came. Each is on the account of the sandbox from before it is put in until it leaves.
// While the gate is closed only calls of guests enter whose chain started by then, and what their senders sent before
// them: whoever waits for an answer is never kept from it by the one who waits for the process to become quiescent.
// The lock of the process guards it (Entrance).
class Mailbox {
 public:
  explicit Mailbox(TreeAccount& account) : account_(account) {}

  bool empty() const { return messages_.empty(); }
  std::size_t size() const { return messages_.size(); }

  // From now on only chains enter that started by then, on the clock of the sandbox. May be called again with another
  // time.
  void close_gate(std::uint64_t started_by_ns) { gate_ns_ = started_by_ns == 0 ? 1 : started_by_ns; }
  void open_gate() { gate_ns_ = 0; }
  bool may_enter(const Message& message) const {
    return gate_ns_ == 0 || (message.depth > 0 && message.chain_ns <= gate_ns_);
  }
  // Nothing waits, and no gate is closed.
  bool admits_everybody() const { return messages_.empty() && gate_ns_ == 0; }
  // When the chain of a guest started that is at work here: whoever is behind a closed gate was admitted before, even
  // if it looked at the clock only afterwards.
  std::uint64_t chain_start(std::uint64_t chain_ns) const;

  // Its bytes (bytes_of) are held on the account already.
  void put(Message message);
  // Returns true if a message waits that may enter.
  bool has_next() const { return next() != messages_.end(); }
  bool take_next(Message& into);
  // Takes out the call of this number.
  std::optional<Message> take_call(std::uint64_t id);
  // Takes out the messages that somebody waits for, or all.
  std::list<Message> take_calls();
  std::list<Message> take_all();

  // Copies or replaces the messages that have no caller. Calls are never copied, and never dropped here; messages that
  // are put in come before all calls, because they were there before anybody who calls now.
  std::vector<SavedMessage> saved() const;
  void replace_saved(const std::vector<SavedMessage>& messages, Clock::TimePoint now);
  // The tags of timers of this instance that have rung.
  std::vector<std::int64_t> rung_timers(std::uint64_t incarnation) const;

 private:
  using Messages = std::list<Message>;
  Messages::const_iterator next() const;
  void release(const Message& message);

  TreeAccount& account_;
  Messages messages_;          // an empty one takes no memory of its own
  std::uint64_t gate_ns_ = 0;  // 0: everybody enters
};

}  // namespace petri
