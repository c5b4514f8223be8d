// The lifecycle of a sandbox as a rule: which status follows which, and because of what.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "petri/sandbox.h"

namespace petri {

enum class LifecycleEvent : std::uint8_t {
  load,     // its modules are being loaded
  start,    // its tree is being started, or will be after a pause
  started,  // every child of the tree runs
  change,   // a module is being changed
  changed,  // none is any more
  end,      // everything in it is being ended
  ended,    // nothing runs any more, or what was about to start does not
  isolate,  // what runs is kept as it is, and answers nobody
  fail,     // it cannot continue by itself
};
std::string_view name_of(LifecycleEvent event);

// The status that follows; nothing if the event means nothing there, and the status stays as it is.
std::optional<SandboxStatus> next_status(SandboxStatus status, LifecycleEvent event);

// Its processes answer.
constexpr bool is_up(SandboxStatus status) {
  return status == SandboxStatus::running || status == SandboxStatus::reloading;
}

}  // namespace petri
