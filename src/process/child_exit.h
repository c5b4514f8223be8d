// The message that a process gets when a child that it spawned has ended, of the kind child_exit. It is part of ABI 1.
#pragma once

#include <cstdint>
#include <string>

#include "petri/outcome.h"
#include "petri/result.h"
#include "process/mailbox/message.h"

namespace petri {

// Why a child ended. The numbers are part of ABI 1.
enum class ChildExitReason : std::uint32_t {
  exited = 1,   // it ended itself with a code: exit, or a handler that did not return 0
  stopped = 2,  // it was asked to stop: by `stop`, by the host, by a supervisor that gave up
  trapped = 3,
  limit = 4,      // a limit ended it
  cancelled = 5,  // somebody cancelled what it did
  failed = 6,     // petri could not run it any further
};

struct ChildExit {
  ChildExitReason reason = ChildExitReason::stopped;
  std::int32_t code = 0;  // nothing but an exit has one
};
ChildExit child_exit_of(const Result<Outcome>& how);

// The bytes of the message are little-endian numbers of 32 bits: 1 (the format), 24 (where the name starts), the
// reason, the code, whether the child runs again (1) or its name is free (0), the length of the name; then the name. A
// later format has more before the name, and starts with the same numbers. The sender is the child. The tag is the
// code, or, for a child that did not exit, its reason above the 32 bits of a code.
constexpr std::uint32_t kChildExitFormat = 1;
constexpr std::uint32_t kChildExitHeadBytes = 24;
Message child_exit_message(const ChildExit& exit, const std::string& child, bool runs_again);

}  // namespace petri
