// Artifacts that are refused by their hash until somebody unblocks them.
#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/mutex.h"
#include "petri/policy.h"
#include "petri/result.h"

namespace petri {

// Any thread. As long as nothing has ever been blocked, find() takes one load.
class BlockList {
 public:
  static constexpr std::size_t kReasonBytesMax = 1'000;

  // In place of an entry for the same artifact. limit_exceeded with kBlockedArtifactsMax; too_large for a long reason.
  Result<void> add(const ArtifactId& artifact, std::string reason) EXCLUDES(mutex_);
  // not_found if it is not blocked.
  Result<void> remove(const ArtifactId& artifact) EXCLUDES(mutex_);
  // The reason; nullopt: it may be used.
  std::optional<std::string> find(const ArtifactId& artifact) const EXCLUDES(mutex_);
  std::vector<BlockedArtifact> all() const EXCLUDES(mutex_);
  std::size_t size() const EXCLUDES(mutex_);

 private:
  std::atomic<bool> any_{false};  // has ever had an entry: what most runtimes need to know
  mutable Mutex mutex_;
  std::map<ArtifactId, std::string> reasons_ GUARDED_BY(mutex_);
};

}  // namespace petri
