// One call of a host function, as the function sees it: the only way to the guest's memory, its fuel and its clock.
#pragma once

#include <cstdint>
#include <expected>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/caller.h"
#include "host/host_context.h"
#include "petri/host_functions.h"

namespace petri {

template <typename T>
using GuestResult = std::expected<T, GuestError>;

// Every host function runs on the guest's clock. What its work costs is charged before it is done; work that can take
// longer than its fuel says goes through a Pace, a GuestWriter or a FileCall, which look at the clock; and it waits in
// wait() and nowhere else. tools/check/host_functions.py finds those that do it another way.
class HostCall {
 public:
  explicit HostCall(Caller& caller) : context(*static_cast<HostContext*>(caller.context())), caller_(caller) {}

  // ---- memory

  // A structure of fixed size, or nothing unless all of it exists. The declared fuel pays for it.
  template <std::size_t Bytes>
  std::optional<std::span<std::uint8_t>> structure(std::uint32_t pointer) {
    static_assert(Bytes <= 4'096);
    return unpaid_memory(pointer, Bytes);
  }
  // `count` structures of this size, one of fuel each.
  GuestResult<std::span<std::uint8_t>> list(std::uint32_t pointer, std::uint32_t count, std::uint32_t bytes_each) {
    const auto bytes = unpaid_memory(pointer, std::uint64_t{count} * bytes_each);
    if (!bytes) return std::unexpected(GuestError::out_of_bounds);
    if (!charge(count)) return std::unexpected(GuestError::cancelled);
    return *bytes;
  }
  // Bytes the guest gives, a 64th of fuel each. Code that goes through them takes a Pace.
  GuestResult<std::string_view> read(std::uint32_t pointer, std::uint32_t length) {
    const auto bytes = unpaid_memory(pointer, length);
    if (!bytes) return std::unexpected(GuestError::out_of_bounds);
    if (!charge_bytes(length)) return std::unexpected(GuestError::cancelled);
    return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }
  // A copy of the bytes in the host's memory; nullopt when the guest has ended meanwhile.
  std::optional<std::string> copy(std::string_view bytes);
  // True if the whole range exists in the guest's memory; its bytes are not read.
  bool exists(std::uint32_t pointer, std::uint64_t length) { return unpaid_memory(pointer, length).has_value(); }
  // Guest memory from `pointer` on, or nothing unless all of it exists. Both are unsigned and may be anything. For what
  // meters: GuestWriter, the buffers of WASI.
  std::optional<std::span<std::uint8_t>> unpaid_memory(std::uint32_t pointer, std::uint64_t length) {
    const std::span<std::uint8_t> all = caller_.memory();
    if (pointer > all.size() || length > all.size() - pointer) return std::nullopt;
    return all.subspan(pointer, length);
  }

  // Memory that the guest's own allocator gives for so many bytes: limit_exceeded where it gave none, out_of_bounds
  // where it gave what the guest does not have, not_now while it is waited for already, cancelled when the guest has
  // ended. Memory may have moved.
  GuestResult<std::uint32_t> allocate(std::uint32_t bytes);
  // True while the guest's allocator runs for another host function.
  bool is_allocating() const { return context.allocating; }

  // ---- fuel and time

  // Charges for moving bytes, beside the declared fuel. False if that ended the guest: nothing more is to be done.
  bool charge_bytes(std::uint64_t bytes) { return charge(bytes / 64); }
  bool charge(std::uint64_t fuel) {
    if (fuel > 0 && caller_.charge(fuel) == After::stop) after_ = After::stop;
    return after_ == After::resume;
  }
  // In this call of the guest; HostContext::fuel_before has the rest.
  std::uint64_t fuel_used() { return caller_.fuel_used(); }
  // Deadline, kill and the end of the guest's turn, as the engine looks at them between two slices of fuel. Not while a
  // lock is held: others may run meanwhile. False: the guest has ended.
  bool look();
  // Lets this much time pass: virtually where the guest is deterministic, else without a worker's permit, and no longer
  // than until the deadline or a kill. False: the guest has ended.
  bool wait(std::uint64_t milliseconds);
  // The same until something is done that another thread does.
  bool wait_until(const std::atomic<bool>& done);
  // Lets others go first for this much real time. False: the guest has ended.
  bool give_way(std::uint64_t nanoseconds);

  // ---- ends

  // Ends the guest when the function returns: with its exit code, or for a reason that the context keeps.
  void exit(std::int32_t code) {
    caller_.stop(EndKind::exited, code);
    after_ = After::stop;
  }
  void stop(EndKind kind) {
    context.refusal = kind;
    caller_.stop(EndKind::refused, 0);
    after_ = After::stop;
  }
  // Records the limit that refused the call, if one did.
  void note_met(const LimitMet& met) {
    if (!met.limit.empty()) context.note_met(met.limit, met.wanted, met.allowed);
  }
  // Data for the guest, and a count; a guest that has ended sees neither.
  std::int32_t refuse(GuestError error) {
    if (after_ == After::resume) ++context.counts.calls_refused;
    return static_cast<std::int32_t>(error);
  }
  // A limit that was met meanwhile may have ended the guest, too.
  After after() {
    if (!context.ended_by.empty() && after_ == After::resume) [[unlikely]]
      stop(context.end_by_limit());
    return after_;
  }

  HostContext& context;

 private:
  void pause_until(std::uint64_t until_ns);

  Caller& caller_;
  After after_ = After::resume;
};

// A call that asks the kernel for files, which takes as long as it takes: the clock is looked at when it is done.
class FileCall : public HostCall {
 public:
  using HostCall::HostCall;
  // Only with a folder granted.
  Folder& folder();
  // The host's descriptor of an open folder or file.
  int host_descriptor(const WasiDescriptor& descriptor);
};

}  // namespace petri
