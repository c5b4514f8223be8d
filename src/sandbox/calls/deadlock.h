// Refuses verbs that would wait for the very thread that calls it.
#pragma once

#include <string_view>

#include "petri/result.h"
#include "process/process.h"

namespace petri {

// The processes that a verb would wait for: one, with those below its address; an empty address is all of the sandbox.
struct Awaited {
  std::string_view address;
  // A message comes after the one that is being handled: in a deterministic queue that is any of the sandbox.
  bool with_queue = false;
};

// deadlock: this thread is in a completion of such a process, or in a host function that it has called; the process is
// left only when that has returned. The message says what the verb was to do with what: "stop", "the child a".
Result<void> may_wait_here(ProcessOwner& owner, const Awaited& awaited, std::string_view verb, std::string_view object);

}  // namespace petri
