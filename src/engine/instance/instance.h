// Loaded code, and one live instance of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "engine/end.h"
#include "petri/result.h"
#include "petri/tier.h"
#include "petri/value.h"

namespace petri {

class ThreadPool;

enum class Growth : std::uint32_t { refused = 0, allowed = 1, ends = 2 };  // ends: the guest, as memory_limit

// Functions that the host adds to an instance, and threads. The functions are called on the guest's thread, with the
// context of the call.
struct HostHooks {
  // Not 0 ends the guest as cancelled; looked at whenever a slice of fuel is spent. May be set from any thread, and
  // outlives the instance.
  const std::atomic<std::uint32_t>* interrupt = nullptr;
  // Asked before memory and tables grow from `have` to `want` bytes in all; a Growth.
  std::uint32_t (*grow)(void* context, std::uint64_t have, std::uint64_t want) = nullptr;
  // Asked when a turn is over; answers when the next one ends, or 0 to end the guest as cancelled. `fuel_used` is that
  // of this call so far; 0 in the middle of one long act.
  std::uint64_t (*turn)(void* context, std::uint64_t fuel_used) = nullptr;
  // Where a call runs that may need more stack than the thread has that makes it; it outlives the instance. nullptr: on
  // a thread that is started for the call.
  ThreadPool* stacks = nullptr;
};

struct LinkedMember;
class LinkedInstance;

// The results of calls made one after the other.
struct CallSeries {
  std::uint64_t returned = 0;   // how many calls returned
  std::uint64_t fuel_used = 0;  // by them
  End end;                      // of the last call
};

struct TracePoint {
  std::uint32_t function = 0;            // index in the module as sent
  std::uint64_t offset = 0;              // byte of the operator in the module as sent
  const LinkedMember* member = nullptr;  // of which module, if not of the one that was called; as long as the instance
  bool operator==(const TracePoint&) const = default;
};

// The part of an instance that is carried besides the bytes of its memory, while nobody runs it. Sizes are in pages of
// 64 KiB; the first two are as declared.
struct InstanceShape {
  static constexpr std::uint64_t kPageBytes = 65'536;

  std::uint64_t memory_pages_min = 0;
  std::uint64_t memory_pages_max = 0;  // the largest std::uint64_t when not declared; 0 without memory
  std::uint64_t memory_pages = 0;      // now
  std::vector<Value> globals;          // all mutable ones in their order, exported or not

  std::uint64_t memory_bytes() const { return memory_pages * kPageBytes; }
  bool operator==(const InstanceShape&) const = default;
};

// Memory, tables and globals. One thread at a time; it may move between threads.
class Instance {
 public:
  static constexpr std::uint32_t kStartFunction = std::numeric_limits<std::uint32_t>::max();

  virtual ~Instance() = default;

  // Itself, if it is one of several.
  virtual LinkedInstance* linked() { return nullptr; }

  // Calls an export by its number in the artifact's list, or kStartFunction. `slots` holds the arguments and receives
  // the results; it has as many as the larger of the two counts. After an end that does not leave the instance whole
  // only memory() and backtrace() may be asked.
  virtual Result<End> call(std::uint32_t export_index, const Budget& budget, void* context,
                           std::span<std::uint64_t> slots) = 0;

  // Calls an export several times. Each call has an equal share of the slots, as for call(), and the whole budget. Ends
  // with the first call that does not return, or once those that returned have used `fuel_max` together.
  virtual Result<CallSeries> call_series(std::uint32_t export_index, const Budget& budget, void* context,
                                         std::span<std::uint64_t> slots, std::size_t calls, std::uint64_t fuel_max);

  // Empty when it has none. Valid until the guest runs again.
  virtual std::span<std::uint8_t> memory() = 0;
  virtual void set_memory_bytes_max(std::uint64_t memory_bytes_max) = 0;
  // A number, by index in the module as sent: any mutable global, and any exported one whether mutable or not.
  virtual Result<std::uint64_t> global(std::uint32_t index) = 0;
  // Sets a mutable global, exported or not.
  virtual Result<void> set_global(std::uint32_t index, std::uint64_t slot) = 0;
  // The shape of an instance that is whole and of a movable artifact, else `validation_failed`.
  virtual Result<InstanceShape> shape() = 0;
  // Grows memory to `shape.memory_pages` and sets all mutable globals; new pages are zero, the others are left alone.
  // `state_incompatible` when the declarations differ or memory would have to shrink, `limit_exceeded` above
  // memory_bytes_max. HostHooks::grow is not asked.
  virtual Result<void> reshape(const InstanceShape& shape) = 0;
  // Takes over memory, with its size, and mutable globals of another instance that is whole and movable, whatever its
  // tier. It may be of another artifact that declares memory and mutable globals alike; what tables, constants and data
  // are for is for check_same_layout to say. This one has not run yet; the other stays as it is.
  // `cancelled` once the time that it was made within, or HostHooks::interrupt, ends it, for reshape() and this: what
  // was made so far is to be dropped.
  virtual Result<void> adopt(Instance& from) = 0;
  // For a caller that fills the memory itself, to be called for each mebibyte or so: `cancelled` likewise.
  virtual Result<void> look_while_filled() = 0;
  // Where the last call trapped, innermost first; empty when the tier keeps no trace.
  virtual std::vector<TracePoint> backtrace() = 0;

  // A WASI command runs once in an instance: true if its `_start` has been entered here. Code that copies memory to
  // another instance copies this too.
  bool command_has_run() const { return command_has_run_; }
  void set_command_has_run(bool has_run) { command_has_run_ = has_run; }

 private:
  bool command_has_run_ = false;
};

// On whose time an instance is made. A large memory is made in pieces, and deadline, turn and HostHooks::interrupt are
// looked at between them; no fuel is used.
struct MakingTime {
  Budget budget;
  void* context = nullptr;
};

struct Instantiated {
  std::unique_ptr<Instance> instance;  // nullptr: `end` says why
  End end;
};

// An artifact loaded for one tier, its imports bound. Immutable; any thread.
class Code {
 public:
  explicit Code(Tier tier) : tier_(tier) {}
  virtual ~Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;

  // The engine that really runs it, whatever was asked for.
  Tier tier() const { return tier_; }
  // Memory and tables that those it is linked with start with; its own are in its artifact.
  virtual std::uint64_t others_bytes_min() const { return 0; }
  // ModuleFacts::value_bytes() of the modules it is linked with.
  virtual std::uint64_t others_value_bytes(std::uint64_t /*call_depth*/) const { return 0; }
  // The memory that an engine keeps for instances of those modules: ModuleFacts::instance_bytes and what the smallest
  // has.
  virtual std::uint64_t others_instance_bytes() const { return 0; }
  // Makes memory, tables and globals; runs no code of the guest. The instance does not need the Code afterwards.
  // However long that takes.
  Result<Instantiated> instantiate(const HostHooks& hooks, std::uint64_t memory_bytes_max) const {
    return instantiate_within(nullptr, hooks, memory_bytes_max);
  }
  // As above; the time, unless it is null, can end it as `deadline` or `cancelled`.
  virtual Result<Instantiated> instantiate_within(const MakingTime* time, const HostHooks& hooks,
                                                  std::uint64_t memory_bytes_max) const = 0;

 private:
  Tier tier_;
};
using CodePtr = std::shared_ptr<const Code>;

}  // namespace petri
