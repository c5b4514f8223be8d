#include "evaluation/candidate/tier_path.h"

#include <utility>

#include "evaluation/candidate/link_candidate.h"

namespace petri {
namespace {

// True for what only the compiled tier fails with: no time, no memory, a worker that was killed.
bool is_compilers(ErrorCode code) {
  return code == ErrorCode::timeout || code == ErrorCode::limit_exceeded || code == ErrorCode::host_fault;
}

}  // namespace

TierPath::TierPath(const EvaluationPlan& plan, const EvaluationServices& services, ArtifactPtr artifact,
                   CodePtr compiled)
    : plan_(plan),
      services_(services),
      artifact_(std::move(artifact)),
      module_(loadable(*artifact_)),
      harness_(plan.harness ? plan.harness->loaded.get() : nullptr),
      code_(std::move(compiled)),
      threshold_(services.promoter.threshold(module_.facts())),
      worth_reporting_(Promoter::worth_reporting(threshold_)) {}

Tier TierPath::first_tier() const { return plan_.options.tier == Tier::compiled ? Tier::compiled : Tier::interpreted; }

Result<void> TierPath::begin() {
  if (harness_ != nullptr) return begin_with(*harness_);
  if (code_ != nullptr) return {};
  return load_or_interpret(first_tier());
}

// Compiled code that was there before is of use once that of the harness is there, too.
Result<void> TierPath::begin_with(LoadedHarness& harness) {
  PETRI_TRY(joined_, harness.join(artifact_));
  if (code_ != nullptr && (first_tier() == Tier::compiled || harness.is_compiled())) {
    auto linked = harness.link(joined_, code_);
    if (!linked && is_compilers(linked.error().code)) return load(Tier::interpreted);
    PETRI_TRY(code_, std::move(linked));
    return {};
  }
  waiting_ = std::move(code_);
  on_its_way_ = asked_ = waiting_ != nullptr;
  return load_or_interpret(first_tier());
}

Result<void> TierPath::begin_compiled() {
  on_its_way_ = false;
  started_interpreted_ = false;
  return load(Tier::compiled);
}

const Code& TierPath::code_for_instance() {
  tier_ = code_->tier();
  if (tier_ == Tier::interpreted) started_interpreted_ = true;
  return *code_;
}

// Records may not depend on how fast the machine compiles, and both tiers give the same answer.
Result<void> TierPath::load_or_interpret(Tier tier) {
  auto loaded = load(tier);
  if (loaded || tier == Tier::interpreted || !is_compilers(loaded.error().code)) return loaded;
  return load(Tier::interpreted);
}

Result<void> TierPath::load(Tier tier) {
  if (!linked_) {
    PETRI_TRY(Linked linked, link_candidate(module_, plan_.host));
    imports_ = std::move(linked.imports);
    linked_ = true;
  }
  PETRI_TRY(code_,
            module_.load(tier, imports_, {.compile = services_.compile, .stop = plan_.options.stop, .brief = true}));
  if (tier == Tier::compiled) services_.modules.insert({.artifact = artifact_, .code = code_});
  if (harness_ != nullptr) {
    PETRI_TRY(code_, harness_->link(joined_, std::move(code_)));
  }
  return {};
}

void TierPath::move_when_ready(Guest& guest) {
  if (waiting_ == nullptr) waiting_ = promotion_->code();
  if (waiting_ == nullptr) return;
  CodePtr compiled = harness_ == nullptr ? waiting_ : harness_->link_if_compiled(joined_, waiting_);
  if (compiled == nullptr) return;
  on_its_way_ = false;
  code_ = std::move(compiled);
  // One that cannot be moved stays where it is to its end; so does one whose move fails.
  if (guest.alive() && can_be_moved() && guest.move_to(*code_)) tier_ = code_->tier();
}

bool TierPath::can_be_moved() const {
  return module_.facts().not_movable == 0 && (harness_ == nullptr || harness_->module().facts().not_movable == 0);
}

// It is not known which of the two burned the fuel: they are hot together.
void TierPath::report_to_harness() {
  harness_->add_burned(burned_ - burned_reported_);
  burned_reported_ = burned_;
}

// Looks up what earlier evaluations burned only once this one is warm: most candidates never are.
bool TierPath::is_hot() {
  if (burned_ < worth_reporting_) return false;
  if (!looked_before_) burned_before_ = services_.promoter.burned(module_.id());
  looked_before_ = true;
  return burned_ + burned_before_ >= threshold_;
}

void TierPath::promote_if_hot(bool more_cases) {
  if (harness_ != nullptr && plan_.options.tier == Tier::automatic) report_to_harness();
  if (asked_ || !more_cases || plan_.options.tier != Tier::automatic || code_->tier() != Tier::interpreted) return;
  if (!is_hot()) return;
  asked_ = true;
  promotion_ = services_.promoter.promote(artifact_, imports_);
  on_its_way_ = promotion_ != nullptr;
}

// An artifact that comes back in one evaluation after the other is hot too, though none of them is.
void TierPath::finish() {
  if (harness_ != nullptr && plan_.options.tier == Tier::automatic) report_to_harness();
  if (plan_.options.tier != Tier::automatic || code_->tier() != Tier::interpreted) return;
  if (burned_ < worth_reporting_) return;
  const bool hot = is_hot();
  services_.promoter.add_burned(module_.id(), burned_);
  if (!asked_ && hot && burned_before_ > 0) services_.promoter.promote(artifact_, imports_);
}

}  // namespace petri
