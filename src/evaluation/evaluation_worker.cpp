#include "evaluation/evaluation_worker.h"

namespace petri {

EvaluationWorker::EvaluationWorker(const EvaluationRun& run, unsigned number, WorkerTurns* turns)
    : run_(run),
      number_(number),
      turns_(turns),
      evaluator_(run.plan, run.services, run.stop, turns),
      now_(run.clock.now()) {}

WorkDone EvaluationWorker::work() {
  while (!stopped()) {
    Chunk* const chunk = run_.chunks.claim(number_);
    if (chunk == nullptr) break;
    run_.rows.open(*chunk);
    bring_one(*chunk);
    work_on(*chunk);
  }
  while (!stopped()) {
    Chunk* const chunk = run_.chunks.unfinished();
    if (chunk == nullptr) break;
    chunk->open.wait(false, std::memory_order_acquire);
    work_on(*chunk);
  }
  return done_;
}

void EvaluationWorker::work_on(Chunk& chunk) {
  while (!stopped()) {
    const auto row = chunk.take();
    if (!row) return;
    if (*row + 1 < chunk.first + chunk.count) evaluator_.expect(run_.rows.key(*row + 1));
    if (!chunk.repeats(*row)) evaluate(chunk, *row);
  }
}

void EvaluationWorker::evaluate(Chunk& chunk, std::size_t row) {
  Record& record = run_.rows.record(row);
  Timing& timing = run_.rows.timing(row);
  const auto answer = evaluator_.evaluate(run_.rows.candidate(row), run_.rows.key(row),
                                          run_.rows.take_prepared(chunk, row), record, timing);
  if (record.error == ErrorCode::cancelled) {
    record = {.row = row};  // not done; the end of the evaluation makes it cancelled
    return;
  }
  const Clock::TimePoint now = run_.clock.now();
  timing.wall_time = now - now_;
  now_ = now;
  ++(timing.cache_hit ? done_.cache_hits : done_.evaluated);
  if (answer.promoted) ++done_.promoted;
  if (run_.board.add(number_, record, now)) run_.stop.store(1);
  bring_one(chunk);
  if (turns_ != nullptr) turns_->between_rows(static_cast<std::uint64_t>(now.time_since_epoch().count()));
}

void EvaluationWorker::bring_one(Chunk& chunk) {
  if (chunk.bring_one()) run_.delivery.complete(chunk, now_);
}

}  // namespace petri
