// What waits for a process, and what of it may enter.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "process/message.h"
#include "process/tree_account.h"

namespace petri {

// In the order it came. Each message is on the account of the sandbox from before it is put in until it leaves. While
// the gate is closed only calls of guests enter whose chain began by then, and what their senders sent before them:
// whoever waits for an answer is never kept from it by the one who waits for the process to become quiescent.
// Not for several threads at once: a process guards it with its own lock.
class Mailbox {
 public:
  explicit Mailbox(TreeAccount& account) : account_(account) {}

  bool empty() const { return messages_.empty(); }
  std::size_t size() const { return messages_.size(); }

  // Since when only old chains enter, by the clock of the sandbox; may be called again with another time.
  void close_gate(std::uint64_t began_by_ns) { gate_ns_ = began_by_ns == 0 ? 1 : began_by_ns; }
  void open_gate() { gate_ns_ = 0; }
  bool may_enter(const Message& message) const {
    return gate_ns_ == 0 || (message.depth > 0 && message.chain_ns <= gate_ns_);
  }
  // When the chain of a guest began that is at work here: whoever is behind a closed gate was admitted before, even if
  // it looked at the clock only afterwards.
  std::uint64_t chain_start(std::uint64_t chain_ns) const;

  // Its bytes (bytes_of) are held on the account already.
  void put(Message message);
  // True: there is one that may enter.
  bool has_next() const { return next() != messages_.end(); }
  bool take_next(Message& into);
  // The call of this number.
  std::optional<Message> take_call(std::uint64_t id);
  // Those that somebody waits for; all.
  std::list<Message> take_calls();
  std::list<Message> take_all();

  // What has no caller. Calls are never copied, and never dropped here; what is put in their place was there before
  // anybody who calls now.
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
