#include "sandbox/code/artifact_store.h"

#include <cstring>

#include "base/text/byte_text.h"
#include "engine/sha256.h"

namespace petri {

std::size_t ArtifactStore::Hash::operator()(const Key& key) const {
  std::size_t hash = 0;
  std::memcpy(&hash, key.id.bytes.data(), sizeof(hash));
  return hash;
}

ArtifactPtr ArtifactStore::find(const Key& key) {
  MutexLock lock(mutex_);
  const auto found = artifacts_.find(key);
  return found == artifacts_.end() ? nullptr : found->second.lock();
}

ArtifactPtr ArtifactStore::share(ArtifactPtr artifact) {
  MutexLock lock(mutex_);
  std::weak_ptr<const Artifact>& kept = artifacts_[{artifact->id(), artifact->bounds()}];
  if (ArtifactPtr present = kept.lock()) return present;
  kept = artifact;
  if (artifacts_.size() >= sweep_at_) sweep();
  return artifact;
}

// Entries of artifacts that are gone take little, and are removed before there are twice as many as live ones.
std::size_t ArtifactStore::sweep() {
  const std::size_t gone = std::erase_if(artifacts_, [](const auto& entry) { return entry.second.expired(); });
  sweep_at_ = std::max<std::size_t>(64, 2 * artifacts_.size());
  return gone;
}

std::size_t ArtifactStore::forget_unused() {
  MutexLock lock(mutex_);
  return sweep();
}

// The hash of bytes that are too large is not worth its time: the gate refuses them by their size.
Result<ArtifactPtr> ArtifactStore::from_wasm(std::span<const std::uint8_t> wasm, std::uint64_t bytes_max,
                                             ModuleBounds bounds) {
  if (wasm.size() > bytes_max) return Artifact::from_wasm(wasm, bytes_max, bounds);
  const ArtifactId id = sha256(wasm);
  if (ArtifactPtr present = find({id, bounds})) return present;
  const Refusals::Key key{Refusals::Form::wasm, id, bounds};
  PETRI_TRY(check_not_refused(key));
  return keep(Artifact::from_wasm(wasm, bytes_max, bounds), key);
}

Result<ArtifactPtr> ArtifactStore::from_wat(std::string_view text, std::uint64_t bytes_max, ModuleBounds bounds) {
  if (text.size() > bytes_max) return Artifact::from_wat(text, bytes_max, bounds);
  const Refusals::Key key{Refusals::Form::wat, sha256(as_bytes(text)), bounds};
  PETRI_TRY(check_not_refused(key));
  return keep(Artifact::from_wat(text, bytes_max, bounds), key);
}

Result<void> ArtifactStore::check_not_refused(const Refusals::Key& key) const {
  MutexLock lock(mutex_);
  if (const Error* error = refusals_.find(key)) return fail(*error);
  return {};
}

// Two threads that have checked the same bytes both continue with the artifact that came first.
Result<ArtifactPtr> ArtifactStore::keep(Result<ArtifactPtr> checked, const Refusals::Key& key) {
  if (checked) return share(std::move(*checked));
  if (Refusals::is_worth_keeping(checked.error())) {
    MutexLock lock(mutex_);
    refusals_.add(key, checked.error());
  }
  return checked;
}

std::size_t ArtifactStore::refused() const {
  MutexLock lock(mutex_);
  return refusals_.size();
}

std::size_t ArtifactStore::size() {
  MutexLock lock(mutex_);
  sweep();
  return artifacts_.size();
}

}  // namespace petri
