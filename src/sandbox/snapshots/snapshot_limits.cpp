#include "sandbox/snapshots/snapshot_data.h"

#include <fmt/format.h>

#include <algorithm>

#include "process/account/tree_account.h"

namespace petri {
namespace {

struct Measured {
  std::string_view limit;
  std::string_view noun;
  std::uint64_t seen;
  std::uint64_t allowed;
};

std::uint64_t largest_message(const SavedProcess& process) {
  std::uint64_t bytes = 0;
  for (const SavedMessage& message : process.mailbox) bytes = std::max<std::uint64_t>(bytes, message.bytes.size());
  return bytes;
}

Result<void> check(const SavedProcess& process, const SandboxLimits& limits) {
  for (const Measured& one :
       {Measured{"message_queue_max", "messages", process.mailbox.size(), limits.message_queue_max},
        Measured{"message_bytes_max", "bytes in a message", largest_message(process), limits.message_bytes_max},
        Measured{"timers_max", "timers", process.timers.size(), limits.timers_max},
        Measured{"state_bytes_max", "bytes of state", process.image->bytes_kept(), limits.state_bytes_max}}) {
    if (one.seen <= one.allowed) continue;
    return fail(ErrorCode::limit_exceeded, fmt::format("the process {} of the snapshot has {} {} and {} allows {}",
                                                       process.address, one.seen, one.noun, one.limit, one.allowed));
  }
  return {};
}

// Bytes that the host would hold for the messages and timers of all processes together.
std::uint64_t held_bytes(const SnapshotData& data) {
  std::uint64_t bytes = 0;
  for (const SavedProcess& process : data.processes) {
    bytes += process.timers.size() * TreeAccount::kTimerBytes;
    for (const SavedMessage& message : process.mailbox) bytes += bytes_of(message);
  }
  return bytes;
}

}  // namespace

Result<void> check_limits(const SnapshotData& data, const SandboxLimits& limits) {
  for (const SavedProcess& process : data.processes) PETRI_TRY(check(process, limits));
  const std::uint64_t held = held_bytes(data);
  if (held <= limits.memory_bytes_max + TreeAccount::kHostBytesFree) return {};
  return fail(ErrorCode::limit_exceeded,
              fmt::format("the messages and timers of the snapshot take {} bytes and memory_bytes_max allows {}", held,
                          limits.memory_bytes_max));
}

}  // namespace petri
