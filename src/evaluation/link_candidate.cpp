#include "evaluation/link_candidate.h"

#include <fmt/format.h>

namespace petri {

Result<void> check_size(const Artifact& artifact, std::uint64_t bytes_max) {
  const std::size_t bytes = artifact.bytes().size();
  if (bytes <= bytes_max) return {};
  return fail(ErrorCode::module_too_large,
              fmt::format("the module has {} bytes and module_bytes_max allows {}", bytes, bytes_max));
}

Result<Linked> link_candidate(const LoadableArtifact& artifact, const HostFunctions& host, Neighbours neighbours) {
  PETRI_TRY(Linked linked, link(artifact, host, kCandidatePermissions, neighbours));
  if (!linked.deterministic) {
    PETRI_TRY(require_deterministic(artifact, host, Asked::all, " and cannot be used in evaluations"));
  }
  return linked;
}

}  // namespace petri
