#include "process/mailbox/mailbox.h"

#include <algorithm>
#include <utility>

namespace petri {

std::uint64_t Mailbox::chain_start(std::uint64_t chain_ns) const {
  return gate_ns_ == 0 ? chain_ns : std::min(chain_ns, gate_ns_);
}

void Mailbox::put(Message message) {
  account_.add_message();
  messages_.push_back(std::move(message));
}

void Mailbox::release(const Message& message) {
  account_.remove_message();
  account_.let_go(bytes_of(message));
}

// The first; while the gate is closed the first that may enter, or what its sender sent before it.
Mailbox::Messages::const_iterator Mailbox::next() const {
  if (gate_ns_ == 0) return messages_.begin();
  const auto may = std::ranges::find_if(messages_, [this](const Message& message) { return may_enter(message); });
  if (may == messages_.end()) return may;
  return std::find_if(messages_.begin(), may, [&](const Message& message) { return message.sender == may->sender; });
}

bool Mailbox::take_next(Message& into) {
  const auto found = next();
  if (found == messages_.end()) return false;
  release(*found);  // before it is moved: what takes its place may keep the room of a larger one
  const auto taken = messages_.erase(found, found);
  into = std::move(*taken);
  messages_.erase(taken);
  return true;
}

std::optional<Message> Mailbox::take_call(std::uint64_t id) {
  const auto found = std::ranges::find(messages_, id, &Message::id);
  if (found == messages_.end()) return std::nullopt;
  release(*found);
  std::optional<Message> call(std::move(*found));
  messages_.erase(found);
  return call;
}

std::list<Message> Mailbox::take_calls() {
  Messages calls;
  for (auto each = messages_.begin(); each != messages_.end();) {
    const auto one = each++;
    if (one->reply == nullptr) continue;
    release(*one);
    calls.splice(calls.end(), messages_, one);
  }
  return calls;
}

std::list<Message> Mailbox::take_all() {
  for (const Message& message : messages_) release(message);
  return std::exchange(messages_, {});
}

std::vector<SavedMessage> Mailbox::saved() const {
  std::vector<SavedMessage> saved;
  for (const Message& message : messages_) {
    if (message.reply == nullptr) saved.push_back({message.kind, message.bytes, message.sender, message.tag});
  }
  return saved;
}

void Mailbox::replace_saved(const std::vector<SavedMessage>& messages, Clock::TimePoint now) {
  Messages come;
  for (const SavedMessage& saved : messages) {
    come.push_back(
        {.kind = saved.kind, .bytes = saved.bytes, .sender = saved.sender, .tag = saved.tag, .queued_at = now});
    account_.add_message();
    account_.hold_anyway(bytes_of(come.back()));
  }
  std::erase_if(messages_, [this](const Message& message) {
    if (message.reply != nullptr) return false;
    release(message);
    return true;
  });
  // Charged whether they fit or not, and before the old ones are given back: they were there when the snapshot was
  // made.
  messages_.splice(messages_.begin(), come);
}

std::vector<std::int64_t> Mailbox::rung_timers(std::uint64_t incarnation) const {
  std::vector<std::int64_t> tags;
  for (const Message& message : messages_) {
    const bool stale = message.incarnation != 0 && message.incarnation != incarnation;
    if (message.kind == MessageKind::timer && !stale) tags.push_back(message.tag);
  }
  return tags;
}

}  // namespace petri
