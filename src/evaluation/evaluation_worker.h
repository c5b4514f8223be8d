// A worker of one evaluation: takes candidates, evaluates them, delivers their records.
#pragma once

#include <atomic>

#include "base/clock.h"
#include "evaluation/candidate/candidate_evaluator.h"
#include "evaluation/evaluation_threads.h"
#include "evaluation/progress_board.h"
#include "evaluation/rows/candidate_rows.h"
#include "evaluation/rows/delivery.h"
#include "evaluation/rows/row_chunks.h"

namespace petri {

// State that the workers of one evaluation share.
struct EvaluationRun {
  const EvaluationPlan& plan;
  const EvaluationServices& services;
  const Clock& clock;
  CandidateRows& rows;
  RowChunks& chunks;
  ProgressBoard& board;
  Delivery& delivery;
  std::atomic<std::uint32_t>& stop;  // not 0: guests are interrupted, and no more candidates started
};

// The work one worker has done, to be added up.
struct WorkDone {
  std::size_t evaluated = 0;
  std::size_t cache_hits = 0;
  std::size_t promoted = 0;
};

// Takes chunks until there are none, then helps others with theirs.
class EvaluationWorker {
 public:
  // The turns are those of this thread; nullptr if nobody else uses it. Everything is borrowed.
  EvaluationWorker(const EvaluationRun& run, unsigned number, WorkerTurns* turns);
  // Returns when no row is left or `stop` is set. Runs on one thread with a large stack; never throws.
  WorkDone work();

 private:
  bool stopped() const { return run_.stop.load(std::memory_order_relaxed) != 0; }
  void work_on(Chunk& chunk);
  void evaluate(Chunk& chunk, std::size_t row);
  // Counts one row of the chunk as done and completes the chunk with its last one.
  void bring_one(Chunk& chunk);

  const EvaluationRun& run_;
  const unsigned number_;
  WorkerTurns* const turns_;
  CandidateEvaluator evaluator_;
  Clock::TimePoint now_;  // when the last row ended: the next starts then
  WorkDone done_;
};

}  // namespace petri
