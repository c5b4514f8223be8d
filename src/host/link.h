// Finds a host function for each import of an artifact.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/loadable_artifact.h"
#include "host/host_table.h"
#include "petri/policy.h"
#include "petri/result.h"

namespace petri {

// About one import, by its name; `why` ends the sentence. `component` is who refuses it.
Error import_error(ErrorCode code, std::string_view component, const ImportView& import, std::string_view why);

// The function for one import. link_error, naming the import, when it is unknown, of another kind or type, or asks for
// a permission that is not granted.
Result<const HostFunction*> resolve_import(const ImportView& import, const HostFunctions::Impl& host,
                                           Permissions permissions);

// An import of a function that another module of the sandbox may offer.
struct ModuleImport {
  std::uint32_t index = 0;  // among the imports
  std::string module;
};

// Says whether an unknown module name may be that of another module; if so the caller must check it.
enum class Neighbours : std::uint8_t { none, may_be };

struct Linked {
  BoundImports imports;
  std::vector<ModuleImport> from_modules;
  bool deterministic = true;  // every function may be used in evaluations
  bool repeatable = true;     // running it again has no effects outside: no embedder's function but deterministic ones
};

// Fails with the first import that cannot be resolved.
Result<Linked> link(const LoadableArtifact& artifact, const HostFunctions& host, Permissions permissions,
                    Neighbours neighbours = Neighbours::none);

// The fuel for a call into another module, beside the `call` and what is done there.
inline constexpr std::uint32_t kModuleCallFuel = 16;

// Fails with the first import whose function may come to something else the next time: of all there are, or only of the
// embedder's, where petri's own follow a sandbox's order and time. `why` ends the sentence.
enum class Asked : bool { all, embedded };
Result<void> require_deterministic(const LoadableArtifact& artifact, const HostFunctions& host, Asked asked,
                                   std::string_view why);

}  // namespace petri
