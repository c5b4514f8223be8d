#include "tiering/hot_code.h"

#include "engine/loadable_artifact.h"

namespace petri {

HotCode::HotCode(Promoter& promoter, const ArtifactPtr& artifact, BoundImports imports, std::uint64_t instances_max)
    : promoter_(promoter),
      artifact_(artifact),
      imports_(std::move(imports)),
      threshold_(promoter.threshold(loadable(*artifact).facts())),
      instances_max_(instances_max) {}

void HotCode::add_burned(std::uint64_t fuel, const void* client) {
  if (burned_.fetch_add(fuel, std::memory_order_relaxed) + fuel >= threshold_) promote(client);
}

void HotCode::add_instance(const void* client) {
  if (instances_.fetch_add(1, std::memory_order_relaxed) + 1 >= instances_max_) promote(client);
}

void HotCode::promote(const void* client) {
  if (asking_.load(std::memory_order_relaxed) || asking_.exchange(true)) return;
  const ArtifactPtr artifact = artifact_.lock();
  if (artifact == nullptr) return;
  promotion_ = promoter_.promote(artifact, imports_, client);
  if (promotion_ != nullptr) {
    asked_.store(true, std::memory_order_release);
  } else if (!promoter_.has_given_up(artifact->id())) {
    asking_.store(false);  // too many waited: it is asked again later
  }
}

}  // namespace petri
