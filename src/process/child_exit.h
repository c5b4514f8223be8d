// What a process is told when a child that it spawned has ended: a message of the kind child_exit. Part of ABI 1.
#pragma once

#include <cstdint>
#include <string>

#include "petri/outcome.h"
#include "petri/result.h"
#include "process/message.h"

namespace petri {

// The numbers are part of ABI 1.
enum class ChildExitReason : std::uint32_t {
  exited = 1,   // it ended itself with a code: exit, or a handler that did not return 0
  stopped = 2,  // it was told to stop: by `stop`, by the host, by a supervisor that gave up
  trapped = 3,
  limit = 4,      // a limit ended it
  cancelled = 5,  // somebody cancelled what it did
  failed = 6,     // petri could not go on with it
};

struct ChildExit {
  ChildExitReason reason = ChildExitReason::stopped;
  std::int32_t code = 0;  // of one that exited
};
ChildExit child_exit_of(const Result<Outcome>& how);

// Little-endian numbers of 32 bits: 1 (the format), 24 (where the name starts), the reason, the code, whether the child
// runs again (1) or its name is free (0), the length of the name; then the name. A later format has more before the
// name, and starts with the same. The sender is the child; the tag is the code, or, of one that did not exit, its
// reason above the 32 bits of a code.
constexpr std::uint32_t kChildExitFormat = 1;
constexpr std::uint32_t kChildExitHeadBytes = 24;
Message child_exit_message(const ChildExit& exit, const std::string& child, bool runs_again);

}  // namespace petri
