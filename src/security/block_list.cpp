#include "security/block_list.h"

#include <fmt/format.h>

#include <utility>

namespace petri {

Result<void> BlockList::add(const ArtifactId& artifact, std::string reason) {
  if (reason.size() > kReasonBytesMax) {
    return fail(ErrorCode::too_large, fmt::format("the reason has {} bytes; the reason of a block may have {}",
                                                  reason.size(), kReasonBytesMax));
  }
  MutexLock lock(mutex_);
  if (reasons_.size() >= kBlockedArtifactsMax && !reasons_.contains(artifact)) {
    return fail(ErrorCode::limit_exceeded,
                fmt::format("{} artifacts are blocked and there may be no more; unblock one", kBlockedArtifactsMax));
  }
  reasons_[artifact] = std::move(reason);
  any_ = true;
  return {};
}

Result<void> BlockList::remove(const ArtifactId& artifact) {
  MutexLock lock(mutex_);
  if (reasons_.erase(artifact) > 0) return {};
  return fail(ErrorCode::not_found, fmt::format("the artifact {} is not blocked", artifact.hex()));
}

std::optional<std::string> BlockList::find(const ArtifactId& artifact) const {
  if (!any_) return std::nullopt;
  MutexLock lock(mutex_);
  const auto found = reasons_.find(artifact);
  return found == reasons_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<BlockedArtifact> BlockList::all() const {
  MutexLock lock(mutex_);
  std::vector<BlockedArtifact> blocked;
  for (const auto& [artifact, reason] : reasons_) blocked.push_back({artifact, reason});
  return blocked;
}

std::size_t BlockList::size() const {
  MutexLock lock(mutex_);
  return reasons_.size();
}

}  // namespace petri
