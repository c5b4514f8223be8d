// The runtime's side of an evaluator.
#pragma once

#include <memory>

#include "evaluation/evaluation_threads.h"
#include "petri/evaluate.h"

namespace petri {

struct EvaluatorAccess {
  // One that works on threads which others use too, and which outlive it.
  static std::unique_ptr<Evaluator> create(HostFunctions host, const EvaluatorOptions& options,
                                           EvaluationThreads& threads);
};

}  // namespace petri
