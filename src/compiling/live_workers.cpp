#include "compiling/live_workers.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>

namespace petri {
namespace {

// More are not registered: pools keep to fewer.
constexpr std::size_t kSlots = 64;

struct Slot {
  std::atomic<bool> taken{false};
  std::atomic<pid_t> process{0};
  std::atomic<int> socket{-1};
  std::atomic<int> process_descriptor{-1};
};
std::array<Slot, kSlots> slots;

// Runs in the only thread of a forked child: no lock and no allocation.
void close_in_child() {
  for (Slot& slot : slots) {
    for (const int descriptor : {slot.socket.exchange(-1), slot.process_descriptor.exchange(-1)}) {
      if (descriptor >= 0) ::close(descriptor);
    }
    slot.process.store(0);
    slot.taken.store(false);
  }
}

std::size_t take_slot() {
  static const int registered = pthread_atfork(nullptr, nullptr, close_in_child);
  static_cast<void>(registered);
  std::size_t index = 0;
  while (index < kSlots && slots[index].taken.exchange(true)) ++index;
  return index;
}

}  // namespace

LiveWorker::LiveWorker(const WorkerIds& ids) : slot_(take_slot()) {
  if (slot_ == kSlots) return;
  slots[slot_].socket.store(ids.socket);
  slots[slot_].process_descriptor.store(ids.process_descriptor);
  slots[slot_].process.store(ids.process);
}

LiveWorker::~LiveWorker() {
  if (slot_ == kSlots) return;
  slots[slot_].process.store(0);
  slots[slot_].socket.store(-1);
  slots[slot_].process_descriptor.store(-1);
  slots[slot_].taken.store(false);
}

std::vector<WorkerIds> live_workers() {
  std::vector<WorkerIds> found;
  for (const Slot& slot : slots) {
    if (slot.process.load() == 0) continue;
    found.push_back({slot.process.load(), slot.socket.load(), slot.process_descriptor.load()});
  }
  return found;
}

}  // namespace petri
