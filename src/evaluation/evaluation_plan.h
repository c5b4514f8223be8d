// The part of an evaluation that all its candidates share.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/engine.h"
#include "evaluation/cache/record_cache.h"
#include "evaluation/candidate/loaded_harness.h"
#include "petri/evaluate.h"
#include "petri/run.h"
#include "run/run_spec_check.h"
#include "tiering/compiled_modules.h"
#include "tiering/promoter.h"

namespace petri {

// The harness of an evaluation, and its function that is called.
struct PlannedHarness {
  LoadedHarnessPtr loaded;
  RunTarget target;
};

// Made once, then only read, by all workers at once. What it refers to outlives it.
struct EvaluationPlan {
  EvaluationPlan(std::span<const Case> all_cases, const EvaluationSpec& a_spec, const EvaluationOptions& some_options,
                 const HostFunctions& functions);

  std::span<const Case> cases;
  const EvaluationSpec& spec;
  const EvaluationOptions& options;
  const HostFunctions& host;
  Sha256 digest;
  RunSpec first_run;                     // the function and the first case's arguments, for checking candidates
  std::vector<std::uint64_t> arguments;  // of all cases, one after the other

  std::optional<PlannedHarness> harness;  // set by the code that makes the plan,
  bool compares_answers = false;          // each case is right or wrong
  bool fresh_each_case = false;           // with this: asked for, or what is called is a WASI command

  std::span<const std::uint64_t> arguments_of(std::size_t case_number) const {
    const std::size_t count = first_run.arguments.size();
    return std::span(arguments).subspan(case_number * count, count);
  }
};

// Services that evaluators keep from one evaluation to the next. Any thread.
struct EvaluationServices {
  Engine& engine;
  CompiledModules& modules;
  Promoter& promoter;
  RecordCache& cache;
  const MachineCodeOptions& compile;
};

}  // namespace petri
