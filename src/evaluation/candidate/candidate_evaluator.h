// Takes one candidate from its bytes to its record.
#pragma once

#include <atomic>
#include <optional>

#include "evaluation/candidate/canonical_bytes.h"
#include "evaluation/candidate/case_runner.h"
#include "evaluation/evaluation_plan.h"

namespace petri {

// One for each worker, used by its thread only. The answer is a record, whatever a candidate does: its failures are
// outcomes or error rows.
class CandidateEvaluator {
 public:
  CandidateEvaluator(const EvaluationPlan& plan, const EvaluationServices& services,
                     const std::atomic<std::uint32_t>& interrupt, WorkerTurns* turns);

  // `key` is the digest of the bytes; `prepared` the artifact when there is one already. The record's row is set, and
  // so is its error when the candidate's text did not parse. `promoted` of the answer: started interpreted, ended
  // compiled.
  struct Answer {
    bool promoted = false;
  };
  // A hint which candidate is likely to come next, so that its cache entry is fetched meanwhile.
  void expect(const Sha256& key) const;
  Answer evaluate(const Candidate& candidate, const Sha256& key, ArtifactPtr prepared, Record& record, Timing& timing);

 private:
  Answer evaluate_now(const Candidate& candidate, const Sha256& key, ArtifactPtr prepared, Record& record,
                      Timing& timing);
  Result<Answer> run(const Candidate& candidate, const Sha256& key, ArtifactPtr prepared, Record& record,
                     Timing& timing);
  Result<Called> called_for(const LoadableArtifact& candidate) const;
  Result<ArtifactPtr> artifact_of(const Candidate& candidate, const Sha256& key, ArtifactPtr prepared) const;
  bool take_from_cache(const Sha256& key, Record& record);
  void score(Record& record);
  double ask_scorer(const Record& record);

  const EvaluationPlan& plan_;
  const EvaluationServices& services_;
  CaseRunner runner_;
  CanonicalBytes buffer_;
  std::vector<CaseView> views_;
};

// False for an error that is about the machine or the program around, not about the candidate: nobody can repeat it.
bool is_about_candidate(ErrorCode code);

// Makes the record an error row: nothing of what it held remains but its row and artifact.
void set_error(Record& record, Error error);

}  // namespace petri
