// One digest over everything that an evaluation depends on besides its candidates.
#pragma once

#include <span>
#include <vector>

#include "petri/evaluate.h"
#include "petri/records.h"

namespace petri {

// The guest ABI that candidates are served: import module `petri`.
constexpr std::uint32_t kAbiVersion = 1;

// The rules outside petri's own code that results follow from.
struct Rules {
  std::uint32_t abi = kAbiVersion;
  std::uint32_t fuel_table = 0;
  std::vector<HostFunctionUsed> host_functions;
  bool operator==(const Rules&) const = default;
};

// The rules of this build: petri's own deterministic functions that are charged or answer differently than at first
// (ABI 1 with nothing listed is version 1 of each), then the embedder's in the order of their names.
Rules rules_here(const HostFunctions& host);

Sha256 spec_digest(std::span<const Case> cases, const EvaluationSpec& spec, const Rules& rules);

}  // namespace petri
