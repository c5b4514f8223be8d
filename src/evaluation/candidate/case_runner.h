// Calls one candidate once for each case and writes the results into its record.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "evaluation/candidate/tier_path.h"
#include "evaluation/evaluation_plan.h"
#include "evaluation/evaluation_threads.h"
#include "host/guest/guest.h"
#include "host/host_context.h"
#include "run/outcome_of.h"
#include "run/run_spec_check.h"

namespace petri {

// The module that is called for a candidate, which is the candidate itself unless there is a harness.
struct Called {
  const LoadableArtifact& module;
  RunTarget target;
};

// One for each worker, used by its thread only: its buffers serve one candidate after the other.
class CaseRunner {
 public:
  // `interrupt`, once it is not 0, ends a running guest as cancelled; the turns may be nullptr. Both are borrowed.
  CaseRunner(const EvaluationPlan& plan, const std::atomic<std::uint32_t>& interrupt, WorkerTurns* turns);

  // Fills in the record, whose artifact is known, from outcome to memory peak. Errors: `cancelled` when interrupted,
  // `timeout` after candidate_time_max, engine_fault, and host_fault, also for outputs that a scorer is not given. The
  // record must then be thrown away.
  Result<void> run(const Called& called, TierPath& path, Record& record);

  // The output of the last candidate in each case; kept only for evaluations with a scorer.
  const std::vector<std::string>& outputs() const { return outputs_; }

 private:
  struct Candidate;  // what belongs to the one that runs

  Result<void> run_cases(Candidate& candidate);
  Result<void> run_next(Candidate& candidate, std::size_t number);
  Result<void> run_series(Candidate& candidate, std::size_t first);
  Result<End> run_case(Candidate& candidate, std::size_t number);
  void note_returned(Candidate& candidate, std::size_t first, const CallSeries& series);
  Result<void> note_end(Candidate& candidate, std::size_t number, const End& end);
  static void note_values(Record& record, std::size_t number, std::span<const std::uint64_t> slots);
  void note_failure(Record& record, std::size_t number, const Verdict& verdict) const;
  void note_output(std::size_t number);
  void note_answer(Record& record, std::size_t number, bool ended_well) const;
  void keep_output(Record& record);
  Result<void> check_kept_outputs() const;
  std::optional<Sha256> digest_outputs(std::size_t cases) const;
  Allowance next_allowance();
  bool is_late(const Record& record) const;

  const EvaluationPlan& plan_;
  const std::atomic<std::uint32_t>& interrupt_;
  WorkerTurns* const turns_;
  HostContext context_;
  std::uint64_t deadline_ns_ = 0;
  std::uint64_t candidate_deadline_ns_ = 0;  // of all its cases together
  std::uint64_t burned_since_ = 0;           // since the clock was read for it
  std::vector<std::uint64_t> slots_;
  std::vector<Sha256> output_digests_;  // of the cases up to the last that wrote something
  std::vector<std::string> outputs_;
  std::uint64_t outputs_bytes_ = 0;
  std::uint64_t kept_bytes_left_ = 0;  // of the outputs that this record may still keep
};

}  // namespace petri
