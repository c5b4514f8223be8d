// One call of a host function, as the function sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "engine/caller.h"
#include "host/host_context.h"
#include "petri/guest_error.h"

namespace petri {

class HostCall {
 public:
  explicit HostCall(Caller& caller) : context(*static_cast<HostContext*>(caller.context())), caller_(caller) {}

  // Guest memory from `pointer` on, or nothing unless all of it exists. Both are unsigned and may be anything.
  std::optional<std::span<std::uint8_t>> memory(std::uint32_t pointer, std::uint64_t length) {
    const std::span<std::uint8_t> all = caller_.memory();
    if (pointer > all.size() || length > all.size() - pointer) return std::nullopt;
    return all.subspan(pointer, length);
  }
  std::optional<std::string_view> text(std::uint32_t pointer, std::uint64_t length) {
    const auto bytes = memory(pointer, length);
    if (!bytes) return std::nullopt;
    return std::string_view(reinterpret_cast<const char*>(bytes->data()), bytes->size());
  }

  // What moving bytes costs beside the declared fuel. False: the guest has ended, and nothing more is to be done.
  bool charge_bytes(std::uint64_t bytes) { return charge(bytes / 64); }
  bool charge(std::uint64_t fuel) {
    if (fuel > 0 && caller_.charge(fuel) == After::stop) after_ = After::stop;
    return after_ == After::go_on;
  }
  // In this call of the guest; HostContext::fuel_before has the rest.
  std::uint64_t fuel_used() { return caller_.fuel_used(); }

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
  // Of something that names the limit which refused it, if one did.
  void note_met(const LimitMet& met) {
    if (!met.limit.empty()) context.note_met(met.limit, met.wanted, met.allowed);
  }
  // Data for the guest, and a count.
  std::int32_t refuse(GuestError error) {
    ++context.counts.calls_refused;
    return static_cast<std::int32_t>(error);
  }
  // A limit that was met meanwhile may have ended the guest, too.
  After after() {
    if (!context.ended_by.empty() && after_ == After::go_on) [[unlikely]]
      stop(context.ended_by.ends_with("memory_bytes_max") ? EndKind::memory_limit : EndKind::cancelled);
    return after_;
  }

  HostContext& context;

 private:
  Caller& caller_;
  After after_ = After::go_on;
};

}  // namespace petri
