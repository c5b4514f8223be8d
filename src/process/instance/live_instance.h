// A live instance of a process, with the host's side of it.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "engine/instance/instance_image.h"
#include "host/guest/guest.h"
#include "petri/limits.h"
#include "petri/outcome.h"
#include "petri/tier.h"
#include "process/instance/module_code.h"

namespace petri {

// A process has one at a time; another may be created beside it, to take its place. One thread at a time uses it: the
// one that has entered the process, or that creates the other.
class LiveInstance {
 public:
  LiveInstance() = default;  // there is none
  // Nothing of the guest has run, and there is no instance yet. The flag and all that the settings borrow outlive it.
  LiveInstance(ModuleCodePtr module, HostSettings settings, std::uint64_t seed,
               const std::atomic<std::uint32_t>* interrupt);
  LiveInstance(LiveInstance&&) noexcept = default;
  LiveInstance& operator=(LiveInstance&& other) noexcept;
  ~LiveInstance();

  explicit operator bool() const { return context != nullptr; }

  // Runs the start function and `_initialize`.
  Result<End> begin(Starts starts = Starts::all) { return guest->instantiate(*entered_, Initialize::yes, starts); }
  // Takes the memory and globals of another instance of the same layout, which stays as it is; nothing runs.
  Result<End> continue_from(Instance& from) { return guest->continue_from(*entered_, from); }
  Result<End> continue_from(const InstanceImage& image) { return guest->continue_from(*entered_, image); }
  void set_limits(const SandboxLimits& limits);
  // Moves to compiled code between two calls, once there is some. True: it has moved.
  bool move_if_hot();
  void add_burned(std::uint64_t fuel);
  // Work that follows knows what this work saw, so it cannot be repeated either.
  void note_seen(Outcome& outcome) {
    saw_outside = saw_outside || context->saw_outside;
    outcome.repeatable = outcome.repeatable && !saw_outside;
  }

  bool may_move() const { return may_move_; }
  bool movable() const { return code->movable(); }
  Tier tier() const { return entered_->tier(); }

  ModuleCodePtr code;
  std::uint64_t version = 0;  // the code's number among those of its module; 0: it has none
  std::unique_ptr<HostContext> context;
  std::unique_ptr<Guest> guest;
  bool saw_outside = false;  // what it knows may come from a clock, a file or the embedder

 private:
  const void* client_ = nullptr;  // for whom code is compiled: the account of a sandbox
  CodePtr entered_;
  bool may_move_ = false;     // to compiled code
  std::uint64_t burned_ = 0;  // fuel that was not reported to the code yet
};

}  // namespace petri
