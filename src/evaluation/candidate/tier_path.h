// Decides which code each of a candidate's cases runs in, from the first to the last.
#pragma once

#include "engine/loadable_artifact.h"
#include "evaluation/evaluation_plan.h"
#include "host/guest/guest.h"
#include "host/link.h"

namespace petri {

// One candidate's way: compiled from the start if asked for or known already, else interpreted until it has burned
// enough. Used by one worker.
class TierPath {
 public:
  // A module that was compiled earlier is there from the start; otherwise begin() links and loads.
  TierPath(const EvaluationPlan& plan, const EvaluationServices& services, ArtifactPtr artifact, CodePtr compiled);

  // Links and loads unless there is code, and joins it with the harness. What takes too long or too much to compile is
  // interpreted. link_error, engine_fault.
  Result<void> begin();
  // Starts again, compiled: the interpreter failed where it must not.
  Result<void> begin_compiled();

  // The code that a new instance is created from.
  const Code& code_for_instance();
  // Between two cases: moves a live guest to compiled code, if there is some by now and its modules can be moved.
  void move_if_ready(Guest& guest) {
    if (on_its_way_) [[unlikely]]
      move_when_ready(guest);
  }
  // A case has ended.
  void add_burned(std::uint64_t fuel, bool more_cases) {
    burned_ += fuel;
    if (burned_ >= worth_reporting_) [[unlikely]]
      promote_if_hot(more_cases);
  }
  // The last case has ended.
  void finish();

  // The tier of the last instance; the one it was moved to, if it was.
  Tier tier() const { return tier_; }
  bool was_promoted() const { return started_interpreted_ && tier_ == Tier::compiled; }

 private:
  Tier first_tier() const;
  Result<void> begin_with(LoadedHarness& harness);
  Result<void> load(Tier tier);
  Result<void> load_or_interpret(Tier tier);
  void move_when_ready(Guest& guest);
  bool can_be_moved() const;
  void report_to_harness();
  void promote_if_hot(bool more_cases);
  bool is_hot();

  const EvaluationPlan& plan_;
  const EvaluationServices& services_;
  const ArtifactPtr artifact_;
  const LoadableArtifact& module_;
  BoundImports imports_;
  bool linked_ = false;
  LoadedHarness* const harness_;  // may be none
  HarnessedCandidate joined_;     // with it
  CodePtr code_;                  // what instances are made of
  bool on_its_way_ = false;       // to compiled code
  PromotionPtr promotion_;
  CodePtr waiting_;     // the candidate's, compiled, until the harness is too
  bool asked_ = false;  // for the promotion, whatever the answer
  Tier tier_ = Tier::interpreted;
  bool started_interpreted_ = false;
  std::uint64_t threshold_ = 0;
  std::uint64_t worth_reporting_ = 0;
  std::uint64_t burned_ = 0;
  std::uint64_t burned_before_ = 0;    // by earlier evaluations
  std::uint64_t burned_reported_ = 0;  // to the harness
  bool looked_before_ = false;
};

}  // namespace petri
