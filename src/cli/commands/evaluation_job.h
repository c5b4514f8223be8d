// Everything `petri evaluate` works on, read and checked before any file is made or any candidate entered.
#pragma once

#include <vector>

#include "cli/commands/candidate_files.h"
#include "cli/commands/evaluate.h"
#include "petri/evaluate.h"
#include "petri/result.h"

namespace petri::cli {

struct EvaluationJob {
  CandidateFiles files;
  std::vector<Case> cases;
  EvaluationSpec spec;
};

// An Error for whatever would make the evaluation impossible, or would overwrite what it reads.
Result<EvaluationJob> prepare_job(const EvaluateOptions& options);

// How the evaluation is carried out, apart from files and callbacks.
EvaluationOptions evaluation_options(const EvaluateOptions& options);

}  // namespace petri::cli
