// Where the work of evaluations is done, and beside whom.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "host/process_port.h"
#include "petri/evaluate.h"
#include "petri/result.h"

namespace petri {

// The turns of one worker of an evaluation, where guests of others want the processor too. On its thread.
class WorkerTurns : public TurnPort {
 public:
  // When the present turn ends, of the monotonic clock.
  virtual std::uint64_t turn_ns() const = 0;
  // Between two candidates, at this time: lets others go first if the turn is over.
  virtual void between_rows(std::uint64_t now_ns) = 0;
};

// Threads with large stacks. Any thread may call.
class EvaluationThreads {
 public:
  using Body = std::function<void(unsigned part, WorkerTurns* turns)>;  // turns: none where nobody else runs

  virtual ~EvaluationThreads() = default;
  // Calls the body for the parts 0 to count - 1, at once if it can, and returns when all have ended. `busy` when there
  // is no thread at all: then nothing was called.
  virtual Result<void> run(unsigned count, const Body& body) = 0;
  // Parts that run at once at most.
  virtual unsigned workers() const = 0;
};

// The runtime's side of an evaluator.
struct EvaluatorAccess {
  // One that works on threads which others use too, and which outlive it.
  static std::unique_ptr<Evaluator> create(HostFunctions host, const EvaluatorOptions& options,
                                           EvaluationThreads& threads);
};

}  // namespace petri
