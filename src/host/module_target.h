// Where an import of one module goes in another.
#pragma once

#include <cstdint>

#include "engine/instance/linked_code.h"
#include "engine/loadable_artifact.h"
#include "petri/result.h"

namespace petri {

// link_error, naming the import, when it takes or gives references, which do not cross between modules.
Result<void> check_crossing(const ImportView& import);

// The export of the callee, which is a member of this number, that the import asks for by its name. link_error, naming
// the import, when there is none, when it has another type, and when references would cross.
Result<LinkedTarget> find_target(const ImportView& import, const LoadableArtifact& callee, std::uint32_t member);

// The error as one of the importing module of this name: before the message, and in the details as "importer".
Error name_importer(std::string_view importer, Error error);

}  // namespace petri
