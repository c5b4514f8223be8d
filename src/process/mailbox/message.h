// A message on its way to a process.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/heap_bytes.h"
#include "host/process_port.h"
#include "petri/value.h"
#include "process/mailbox/reply.h"

namespace petri {

struct Message {
  static constexpr std::uint64_t kUnbounded = UINT64_MAX;

  MessageKind kind = MessageKind::send;
  std::string function;  // an export to be called with numbers; empty: petri_handle
  std::vector<Value> arguments;
  std::string bytes;
  std::string sender;  // a process; empty: it comes from outside
  std::int64_t tag = 0;
  ReplyPtr reply;        // where the answer to a call goes; nullptr: nobody wants it
  std::uint64_t id = 0;  // of a call from outside, by which it can be cancelled
  std::stop_token stop;  // of its caller, who calls cancel() too
  // The fuel and the time that a caller has left for the callee. The smaller one of this and the callee's own holds.
  std::uint64_t fuel_max = kUnbounded;
  std::uint64_t deadline_ns = kUnbounded;
  std::uint32_t depth = 0;         // calls between guests above this one,
  std::uint64_t chain_ns = 0;      // and when the first of them started
  std::uint64_t virtual_fuel = 0;  // of a call between guests in a deterministic queue: what was spent when it was made
  std::uint64_t incarnation = 0;   // of a timer's process; 0: whichever is alive
  Clock::TimePoint queued_at;
};

// The bytes that a message takes while it waits in a mailbox. The number is the same before and after a move.
inline std::uint64_t bytes_of(const Message& message) {
  constexpr std::size_t kListNode = heap_block_bytes(sizeof(Message) + 2 * sizeof(void*));
  std::size_t bytes = kListNode + heap_bytes(message.function) + heap_bytes(message.bytes) + heap_bytes(message.sender);
  if (message.arguments.capacity() > 0) bytes += heap_block_bytes(message.arguments.capacity() * sizeof(Value));
  if (message.reply != nullptr) bytes += heap_block_bytes(sizeof(Reply) + 2 * sizeof(void*));
  return bytes;
}

// A waiting message as it is saved: nobody waits for its answer.
struct SavedMessage {
  MessageKind kind = MessageKind::send;
  std::string bytes;
  std::string sender;
  std::int64_t tag = 0;
  bool operator==(const SavedMessage&) const = default;
};
// The bytes that it takes once it waits again.
inline std::uint64_t bytes_of(const SavedMessage& saved) {
  return bytes_of(Message{}) + heap_bytes(saved.bytes) + heap_bytes(saved.sender);
}

}  // namespace petri
