// Evaluations on the threads that run the guests of sandboxes.
#pragma once

#include "evaluation/evaluation_threads.h"
#include "process/turns/workers.h"

namespace petri {

// A part of an evaluation is a task of the workers: it has a permit while it works, and gives it to others when its
// turn is over, in the middle of a case too. Any thread may call.
class SharedThreads final : public EvaluationThreads {
 public:
  // The workers outlive it.
  SharedThreads(Workers& workers, unsigned count) : workers_(workers), count_(count) {}

  Result<void> run(unsigned count, const Body& body) override;
  unsigned workers() const override { return count_; }

 private:
  Workers& workers_;
  const unsigned count_;
  Workers::Client client_;  // evaluations have a place among the sandboxes, as one of them
};

}  // namespace petri
