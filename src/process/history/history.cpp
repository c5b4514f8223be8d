#include "process/history/history.h"

#include <utility>

namespace petri {
namespace {

// An entry takes so much with its place in a growing list, whichever of the two lists that is.
constexpr std::uint64_t kEntryBytes = 2 * sizeof(History::Step);
// To look through memory for an image takes a twentieth of what the interpreter takes for this much fuel.
constexpr std::uint64_t kFuelPerImageByte = 2;
constexpr std::uint64_t kImageBytesAtLeast = std::uint64_t{16} << 10;

}  // namespace

void History::start(std::string_view input, Renewable renewable) {
  close();
  open_ = true;
  renewable_ = renewable == Renewable::yes;
  if (!input.empty() && make_room(input.size())) kept_->input = input;
}

void History::start_from(Origin origin) {
  close();
  renewable_ = true;
  const std::uint64_t bytes = origin.image->bytes_kept();
  if (budget_ != nullptr && !budget_->try_keep(bytes)) return;
  open_ = true;
  origin_ = std::make_unique<Origin>(std::move(origin));
}

void History::close() {
  drop();
  renewable_ = false;
  burned_ = 0;
}

void History::drop() {
  open_ = false;
  if (origin_ != nullptr && budget_ != nullptr) budget_->let_go(origin_->image->bytes_kept());
  origin_ = nullptr;
  if (kept_ == nullptr) return;
  account_.let_go(kept_->held_bytes);
  kept_ = nullptr;
}

bool History::half_full() const {
  if (kept_ == nullptr) return false;
  const std::size_t entries = kept_->messages.size() + kept_->answers.size();
  return 2 * entries >= kEntriesMax || 2 * kept_->content_bytes >= kBytesMax;
}

bool History::wants_image(std::uint64_t fuel_used, std::uint64_t memory_bytes) {
  burned_ += fuel_used;
  if (!renewable_ || (open_ && !half_full()) || burned_ / kFuelPerImageByte < memory_bytes + kImageBytesAtLeast) {
    return false;
  }
  burned_ = 0;
  return true;
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
    drop();
    return false;
  }
  kept_->content_bytes += content_bytes;
  kept_->held_bytes += bytes;
  return true;
}

History::Step History::step_of(const Message& message, std::uint64_t fuel_used, VirtualTime time) {
  return {.kind = message.kind,
          .function = message.function,
          .arguments = message.arguments,
          .bytes = message.bytes,
          .sender = message.sender,
          .tag = message.tag,
          .fuel_used = fuel_used,
          .time = time};
}

void History::add(const Message& message, std::uint64_t fuel_used, VirtualTime time) {
  const std::size_t content =
      message.function.size() + message.bytes.size() + message.sender.size() + message.arguments.size() * sizeof(Value);
  if (make_room(content)) kept_->messages.push_back(step_of(message, fuel_used, time));
}

void History::add(Answer answer) {
  if (make_room(answer.reply.size())) kept_->answers.push_back(std::move(answer));
}

}  // namespace petri
