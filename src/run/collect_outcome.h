// Collects the outcome of a guest that has ended from where it was kept while it ran.
#pragma once

#include <span>
#include <vector>

#include "host/guest/guest.h"
#include "petri/outcome.h"

namespace petri {

// Everything but values, tier, seed and times, into an outcome that is as it was made. The answer is taken out of the
// context.
void collect_into(Outcome& outcome, const LoadableArtifact& artifact, const End& end, Guest& guest,
                  HostContext& context);
Outcome collect_outcome(const LoadableArtifact& artifact, const End& end, Guest& guest, HostContext& context);

void add_values(std::vector<Value>& values, const SignatureView& signature, std::span<const std::uint64_t> slots);
std::vector<Value> values_of(const SignatureView& signature, std::span<const std::uint64_t> slots);

}  // namespace petri
