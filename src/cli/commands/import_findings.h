// Finds out for each import of a module if it would be satisfied, and if not, why.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/host_function.h"
#include "petri/artifact.h"
#include "petri/policy.h"

namespace petri::cli {

enum class ImportVerdict { offered, unknown, not_a_function, wrong_type, not_permitted };
std::string_view name_of(ImportVerdict verdict);

struct ImportFinding {
  ImportInfo import;
  ImportVerdict verdict = ImportVerdict::offered;
  std::optional<Permission> permission;  // what it needs, granted or not
  std::string reason;                    // why it would be refused, for a person; empty when offered
};

ImportFinding examine(const ImportInfo& import, const HostFunction* offered, Permissions permissions);

// All imports of the module, in its order, against what petri offers.
std::vector<ImportFinding> examine_imports(const Artifact& artifact, Permissions permissions);

}  // namespace petri::cli
