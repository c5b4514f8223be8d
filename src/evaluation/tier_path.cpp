#include "evaluation/tier_path.h"

#include <utility>

#include "evaluation/link_candidate.h"

namespace petri {

TierPath::TierPath(const EvaluationPlan& plan, const EvaluationServices& services, ArtifactPtr artifact,
                   CodePtr compiled)
    : plan_(plan),
      services_(services),
      artifact_(std::move(artifact)),
      module_(loadable(*artifact_)),
      code_(std::move(compiled)),
      threshold_(services.promoter.threshold(module_.facts())),
      worth_telling_(Promoter::worth_telling(threshold_)) {}

Result<void> TierPath::begin() {
  if (code_ != nullptr) return {};
  return plan_.options.tier == Tier::compiled ? load_compiled() : load(Tier::interpreted);
}

Result<void> TierPath::begin_compiled() {
  promotion_ = nullptr;
  began_interpreted_ = false;
  return load_compiled();
}

const Code& TierPath::code_for_instance() {
  tier_ = code_->tier();
  if (tier_ == Tier::interpreted) began_interpreted_ = true;
  return *code_;
}

Result<void> TierPath::load(Tier tier) {
  if (!linked_) {
    PETRI_TRY(Linked linked, link_candidate(module_, plan_.host));
    imports_ = std::move(linked.imports);
    linked_ = true;
  }
  PETRI_TRY(code_, module_.load(tier, imports_));
  return {};
}

Result<void> TierPath::load_compiled() {
  PETRI_TRY(load(Tier::compiled));
  services_.modules.insert({.artifact = artifact_, .code = code_});
  return {};
}

void TierPath::move_when_ready(Guest& guest) {
  CodePtr compiled = promotion_->code();
  if (compiled == nullptr) return;
  promotion_ = nullptr;
  code_ = std::move(compiled);
  // One that cannot be moved stays where it is for its life; so does one whose move fails.
  if (guest.alive() && module_.facts().not_movable == 0 && guest.move_to(*code_)) tier_ = code_->tier();
}

// Looks up what earlier evaluations burned only once this one is warm: most candidates never are.
bool TierPath::is_hot() {
  if (burned_ < worth_telling_) return false;
  if (!looked_before_) burned_before_ = services_.promoter.burned(module_.id());
  looked_before_ = true;
  return burned_ + burned_before_ >= threshold_;
}

void TierPath::promote_if_hot(bool more_cases) {
  if (asked_ || !more_cases || plan_.options.tier != Tier::automatic || code_->tier() != Tier::interpreted) return;
  if (!is_hot()) return;
  asked_ = true;
  promotion_ = services_.promoter.promote(artifact_, imports_);
}

// An artifact that comes back in one evaluation after the other is hot too, though none of them is.
void TierPath::finish() {
  if (plan_.options.tier != Tier::automatic || code_->tier() != Tier::interpreted) return;
  if (burned_ < worth_telling_) return;
  const bool hot = is_hot();
  services_.promoter.add_burned(module_.id(), burned_);
  if (!asked_ && hot && burned_before_ > 0) services_.promoter.promote(artifact_, imports_);
}

}  // namespace petri
