// Work for a guest that may take longer than its fuel says: how much of it is done between two looks at the clock.
#pragma once

#include <cstdint>

namespace petri {

class HostCall;

// Copied freely: each copy counts for itself.
class Pace {
 public:
  // Bytes that are copied or looked through between two looks: some tens of microseconds, if they are touched first.
  static constexpr std::uint64_t kBytesMax = 65'536;
  // The least that one step costs, in bytes: a kernel call, a callback, an entry of a list.
  static constexpr std::uint64_t kStepBytes = 1'024;

  Pace() = default;  // of nobody: continues for ever
  explicit Pace(HostCall& call) : call_(&call) {}

  // One step more was done, over this many bytes. False: the guest has ended, and the rest is left.
  bool step(std::uint64_t bytes = 0) {
    done_ += kStepBytes + bytes;
    return done_ < kBytesMax || look();
  }

 private:
  bool look();

  HostCall* call_ = nullptr;
  std::uint64_t done_ = 0;
};

}  // namespace petri
