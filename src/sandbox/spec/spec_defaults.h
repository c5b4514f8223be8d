// Defaults that a runtime has for specs that leave something out.
#pragma once

#include "base/complaints.h"
#include "petri/sandbox.h"

namespace petri {

// Everything but the limits, which check_spec() sorts in between those of the spec and those of the profile.
SandboxSpec with_defaults(SandboxSpec spec, const SandboxSpec& defaults);
// All that is wrong with the defaults by themselves, at places below `where`.
void check_defaults(const SandboxSpec& defaults, const std::string& where, Complaints& complaints);

}  // namespace petri
