#include "sandbox/artifact_store.h"

#include <cstring>

#include "engine/sha256.h"

namespace petri {

std::size_t ArtifactStore::Hash::operator()(const ArtifactId& id) const {
  std::size_t hash = 0;
  std::memcpy(&hash, id.sha256.data(), sizeof(hash));
  return hash;
}

ArtifactPtr ArtifactStore::find(const ArtifactId& id) {
  MutexLock lock(mutex_);
  const auto found = artifacts_.find(id);
  return found == artifacts_.end() ? nullptr : found->second.lock();
}

ArtifactPtr ArtifactStore::share(ArtifactPtr artifact) {
  MutexLock lock(mutex_);
  std::weak_ptr<const Artifact>& kept = artifacts_[artifact->id()];
  if (ArtifactPtr present = kept.lock()) return present;
  kept = artifact;
  if (artifacts_.size() >= sweep_at_) sweep();
  return artifact;
}

// Entries of artifacts that are gone take little, and are removed before there are twice as many as live ones.
void ArtifactStore::sweep() {
  std::erase_if(artifacts_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max<std::size_t>(64, 2 * artifacts_.size());
}

Result<ArtifactPtr> ArtifactStore::from_wasm(std::span<const std::uint8_t> wasm, std::uint64_t bytes_max) {
  if (wasm.size() <= bytes_max) {
    if (ArtifactPtr present = find({.sha256 = sha256(wasm)})) return present;
  }
  PETRI_TRY(ArtifactPtr artifact, Artifact::from_wasm(wasm, bytes_max));
  return share(std::move(artifact));
}

Result<ArtifactPtr> ArtifactStore::from_wat(std::string_view text, std::uint64_t bytes_max) {
  PETRI_TRY(ArtifactPtr artifact, Artifact::from_wat(text, bytes_max));
  return share(std::move(artifact));
}

std::size_t ArtifactStore::size() {
  MutexLock lock(mutex_);
  sweep();
  return artifacts_.size();
}

}  // namespace petri
