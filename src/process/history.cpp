#include "process/history.h"

#include <utility>

namespace petri {
namespace {

// An entry with its place in a growing list, whichever of the two lists that is.
constexpr std::uint64_t kEntryBytes = 2 * sizeof(History::Message);

}  // namespace

void History::start(std::string_view input) {
  close();
  open_ = true;
  if (!input.empty() && make_room(input.size())) kept_->input = input;
}

void History::close() {
  open_ = false;
  if (kept_ == nullptr) return;
  account_.let_go(kept_->held_bytes);
  kept_ = nullptr;
}

const History::Kept& History::kept() const {
  static const Kept nothing;
  return kept_ == nullptr ? nothing : *kept_;
}

bool History::make_room(std::size_t content_bytes) {
  if (kept_ == nullptr) kept_ = std::make_unique<Kept>();
  const std::size_t entries = kept_->messages.size() + kept_->answers.size();
  const std::uint64_t bytes = kEntryBytes + heap_block_bytes(content_bytes);
  const bool fits = entries < kEntriesMax && kept_->content_bytes + content_bytes <= kBytesMax;
  if (!fits || !account_.try_hold(bytes)) {
    close();
    return false;
  }
  kept_->content_bytes += content_bytes;
  kept_->held_bytes += bytes;
  return true;
}

History::Message History::message_of(const Letter& letter, std::uint64_t fuel_used) {
  return {.kind = letter.kind,
          .function = letter.function,
          .arguments = letter.arguments,
          .bytes = letter.bytes,
          .sender = letter.sender,
          .tag = letter.tag,
          .fuel_used = fuel_used};
}

void History::add(const Letter& letter, std::uint64_t fuel_used) {
  const std::size_t content =
      letter.function.size() + letter.bytes.size() + letter.sender.size() + letter.arguments.size() * sizeof(Value);
  if (make_room(content)) kept_->messages.push_back(message_of(letter, fuel_used));
}

void History::add(Answer answer) {
  if (make_room(answer.reply.size())) kept_->answers.push_back(std::move(answer));
}

}  // namespace petri
