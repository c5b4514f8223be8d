#include "evaluation/candidate/link_candidate.h"

namespace petri {

Result<Linked> link_candidate(const LoadableArtifact& artifact, const HostFunctions& host, Neighbours neighbours) {
  PETRI_TRY(Linked linked, link(artifact, host, kCandidatePermissions, neighbours));
  if (!linked.deterministic) {
    PETRI_TRY(require_deterministic(artifact, host, Asked::all, " and cannot be used in evaluations"));
  }
  return linked;
}

}  // namespace petri
