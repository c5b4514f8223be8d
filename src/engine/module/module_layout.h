// Checks if memory that one version of a module wrote means the same to another.
#pragma once

#include "engine/loadable_artifact.h"
#include "petri/result.h"

namespace petri {

// Checks that memory and globals of an instance of `from` can be carried as they are into one of `to`: both are
// movable, and their declarations of memory, tables and globals (types, mutability, initial values) and their data
// segments are equal. Else `state_incompatible` with the first difference. Functions, types, exports and custom
// sections do not matter.
Result<void> check_same_layout(const LoadableArtifact& from, const LoadableArtifact& to);

}  // namespace petri
