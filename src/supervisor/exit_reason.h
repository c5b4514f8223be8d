// How a process of the tree ended, as far as its supervisor asks.
#pragma once

#include <optional>
#include <string_view>

#include "petri/outcome.h"
#include "petri/tree.h"

namespace petri {

// normal: it was done, exit(0). shutdown: it was told to stop, or is a supervisor that gave up. abnormal: a trap, a met
// limit, a kill, exit() of anything but 0.
enum class ExitReason { normal, shutdown, abnormal };
std::string_view name_of(ExitReason reason);

// For a guest that ended by itself. One that was told to stop and did ends with `shutdown`.
ExitReason exit_reason_of(const Outcome& outcome);

// True when a child that ended this way is to be started anew.
bool should_restart(RestartType type, ExitReason reason);

}  // namespace petri
