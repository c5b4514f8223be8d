// Artifacts by their bytes: checked once, shared by every user, freed with the last one. What was refused stays so.
#pragma once

#include <memory>
#include <span>
#include <string_view>
#include <unordered_map>

#include "base/mutex.h"
#include "petri/artifact.h"
#include "petri/result.h"
#include "sandbox/code/refusals.h"

namespace petri {

// Any thread. The gate is passed outside the lock: two who bring the same new bytes at once may both check them.
class ArtifactStore {
 public:
  // The artifact of these bytes, checked now or before. A refusal that does not depend on limits is remembered and
  // answered again without a look at the bytes.
  Result<ArtifactPtr> from_wasm(std::span<const std::uint8_t> wasm, std::uint64_t bytes_max,
                                ModuleBounds bounds = ModuleBounds::candidate) EXCLUDES(mutex_);
  Result<ArtifactPtr> from_wat(std::string_view text, std::uint64_t bytes_max,
                               ModuleBounds bounds = ModuleBounds::candidate) EXCLUDES(mutex_);
  // The one that is kept of those with these bytes and bounds.
  ArtifactPtr share(ArtifactPtr artifact) EXCLUDES(mutex_);
  // Forgets those that nobody uses any more, and returns how many.
  std::size_t forget_unused() EXCLUDES(mutex_);
  // The number of artifacts that somebody uses.
  std::size_t size() EXCLUDES(mutex_);
  // The number of refusals that are remembered.
  std::size_t refused() const EXCLUDES(mutex_);

 private:
  struct Key {
    ArtifactId id;
    ModuleBounds bounds = ModuleBounds::candidate;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  ArtifactPtr find(const Key& key) EXCLUDES(mutex_);
  Result<void> check_not_refused(const Refusals::Key& key) const EXCLUDES(mutex_);
  Result<ArtifactPtr> keep(Result<ArtifactPtr> checked, const Refusals::Key& key) EXCLUDES(mutex_);
  std::size_t sweep() REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::unordered_map<Key, std::weak_ptr<const Artifact>, Hash> artifacts_ GUARDED_BY(mutex_);
  std::size_t sweep_at_ GUARDED_BY(mutex_) = 64;
  Refusals refusals_ GUARDED_BY(mutex_);
};

}  // namespace petri
