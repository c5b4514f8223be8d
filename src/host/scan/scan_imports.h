// Imports as findings, by what the host offers.
#pragma once

#include <optional>

#include "engine/loadable_artifact.h"
#include "host/host_table.h"
#include "petri/scan.h"

namespace petri {

// `offered` is the host's function of this name, or null. Nothing when every guest may call it: there is nothing to
// tell.
std::optional<Finding> import_finding(const ImportView& import, const HostFunction* offered);

}  // namespace petri
