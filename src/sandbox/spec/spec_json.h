// Parts of a SandboxSpec inside other JSON documents.
#pragma once

#include "base/json/json_reader.h"
#include "petri/sandbox.h"

namespace petri {

// Limits by their names: numbers in their units, or strings such as "64KiB" and "50ms".
LimitChanges read_limits(const JsonReader& limits);
// The fields of a spec without its id and modules, which a runtime has defaults for.
SandboxSpec read_defaults(const JsonReader& defaults);
// The options outlive what is returned.
JsonReader::Fields breaker_fields(BreakerOptions& breaker);

}  // namespace petri
