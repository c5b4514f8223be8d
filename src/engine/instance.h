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

namespace petri {

// What the host adds to an instance. The functions are called on the guest's thread, with the context of the call.
enum class Growth : std::uint32_t { refused = 0, allowed = 1, ends = 2 };  // ends: the guest, as memory_limit

struct HostHooks {
  // Not 0 ends the guest as cancelled; looked at whenever a slice of fuel is spent. May be set from any thread, and
  // outlives the instance.
  const std::atomic<std::uint32_t>* interrupt = nullptr;
  // Asked before memory and tables grow from `have` to `want` bytes in all; a Growth.
  std::uint32_t (*grow)(void* context, std::uint64_t have, std::uint64_t want) = nullptr;
  // Asked when a turn is over; answers when the next one ends, or 0 to end the guest as cancelled.
  std::uint64_t (*turn)(void* context, std::uint64_t now_ns) = nullptr;
};

struct TracePoint {
  std::uint32_t function = 0;  // index in the module as sent
  std::uint64_t offset = 0;    // byte of the operator in the module as sent
  bool operator==(const TracePoint&) const = default;
};

// Memory, tables and globals. One thread at a time; it may move between threads.
class Instance {
 public:
  static constexpr std::uint32_t kStartFunction = std::numeric_limits<std::uint32_t>::max();

  virtual ~Instance() = default;

  // Calls an export by its number in the artifact's list, or kStartFunction. `slots` holds the arguments and receives
  // the results; it has as many as the larger of the two counts. After an end that does not leave the instance whole
  // only memory() and backtrace() may be asked.
  virtual Result<End> call(std::uint32_t export_index, const Budget& budget, void* context,
                           std::span<std::uint64_t> slots) = 0;

  // Empty when it has none. Valid until the guest runs again.
  virtual std::span<std::uint8_t> memory() = 0;
  virtual void set_memory_bytes_max(std::uint64_t memory_bytes_max) = 0;
  // By index in the module as sent; mutable and exported globals only.
  virtual Result<std::uint64_t> global(std::uint32_t index) = 0;
  virtual Result<void> set_global(std::uint32_t index, std::uint64_t slot) = 0;
  // Takes over memory, with its size, and mutable globals of another instance of the same movable artifact, whatever
  // its tier. This one has not run yet; the other stays as it is.
  virtual Result<void> adopt(Instance& from) = 0;
  // Where the last call trapped, innermost first; empty when the tier keeps no trace.
  virtual std::vector<TracePoint> backtrace() = 0;
};

struct Instantiated {
  std::unique_ptr<Instance> instance;  // none: `end` says why
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
  // Makes memory, tables and globals; runs no code of the guest. The instance does not need the Code afterwards.
  virtual Result<Instantiated> instantiate(const HostHooks& hooks, std::uint64_t memory_bytes_max) const = 0;

 private:
  Tier tier_;
};
using CodePtr = std::shared_ptr<const Code>;

}  // namespace petri
