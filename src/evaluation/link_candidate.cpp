#include "evaluation/link_candidate.h"

#include <fmt/format.h>

#include "base/escape.h"

namespace petri {
namespace {

constexpr std::size_t kNameShownBytesMax = 100;

std::unexpected<Error> refuse(const ImportView& import) {
  Error error{.code = ErrorCode::link_error,
              .message = fmt::format("the import \"{}\".\"{}\" is not deterministic and cannot be used in evaluations",
                                     escape_text(import.module, kNameShownBytesMax),
                                     escape_text(import.name, kNameShownBytesMax)),
              .details = {}};
  return fail(std::move(error).with("component", "evaluation"));
}

}  // namespace

Result<Linked> link_candidate(const LoadableArtifact& artifact, const HostFunctions& host) {
  PETRI_TRY(Linked linked, link(artifact, host, kCandidatePermissions));
  if (linked.deterministic) return linked;
  for (std::uint32_t index = 0; index < artifact.facts().imports; ++index) {
    const ImportView import = artifact.import_at(index);
    if (!host.impl().find(import.module, import.name)->deterministic) return refuse(import);
  }
  return linked;
}

}  // namespace petri
