// Everything that can be wrong with a SandboxSpec, found before anything is touched.
#pragma once

#include "petri/sandbox.h"

namespace petri {

// The limits the sandbox will have, the defaults of the runtime below those of the spec; or one validation_failed with
// all that is wrong, a detail for each.
Result<SandboxLimits> check_spec(const SandboxSpec& spec, const LimitChanges& defaults);

}  // namespace petri
