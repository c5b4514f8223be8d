#include "evolve/generations.h"

#include <algorithm>
#include <chrono>

namespace evolve {
namespace {

std::vector<petri::Candidate> candidates_of(const std::vector<Child>& children, std::size_t generation) {
  std::vector<petri::Candidate> candidates;
  candidates.reserve(children.size());
  for (const Child& child : children) {
    candidates.push_back(
        petri::Candidate::wasm(child.wasm)
            .from({.name = {}, .generation = generation, .parents = child.parents, .mutation = child.mutation}));
  }
  return candidates;
}

bool is_cancelled(const petri::Record& record) { return record.error == petri::ErrorCode::cancelled; }

void add(const petri::Evaluation& evaluation, Tally& tally) {
  for (const petri::Record& record : evaluation.records) {
    if (is_cancelled(record)) continue;
    ++tally.evaluations;
    tally.fuel += record.fuel_used;
    if (record.outcome) ++tally.outcomes.at(static_cast<std::size_t>(*record.outcome));
    if (record.error) ++tally.errors;
  }
  tally.known += evaluation.counts.repeated + evaluation.counts.cache_hits;
  ++tally.generations;
}

// One run's evaluator, its clock and what it has counted.
class Generations {
 public:
  Generations(Problem& problem, const GenerationOptions& options) : problem_(problem), options_(options) {}

  petri::Result<GenerationsEnd> run() {
    for (;;) {
      PETRI_TRY(const auto evaluation, evaluate_next());
      add(evaluation, tally_);
      tally_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
      if (evaluation.write_error) return petri::fail(*evaluation.write_error);
      problem_.tell(evaluation.records);
      if (evaluation.counts.cancelled > 0) return GenerationsEnd{Ending::interrupted, tally_};
      if (options_.on_generation) options_.on_generation(problem_, tally_);
      if (problem_.best() != nullptr && problem_.best()->solved) return GenerationsEnd{Ending::solved, tally_};
      if (tally_.evaluations >= options_.budget) return GenerationsEnd{Ending::budget_spent, tally_};
    }
  }

 private:
  petri::Result<petri::Evaluation> evaluate_next() {
    auto children = problem_.ask();
    children.resize(std::min(children.size(), options_.budget - tally_.evaluations));
    const Judging& judging = problem_.judging();
    return evaluator_.evaluate(
        candidates_of(children, tally_.generations), judging.cases, judging.spec,
        {.workers = options_.workers,
         .scorer = judging.scorer,
         .enough = [this](const petri::Record&) { return options_.interrupted && options_.interrupted(); },
         .records = options_.records});
  }

  Problem& problem_;
  const GenerationOptions& options_;
  petri::Evaluator evaluator_;
  std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
  Tally tally_;
};

}  // namespace

petri::Result<GenerationsEnd> run_generations(Problem& problem, const GenerationOptions& options) {
  return Generations(problem, options).run();
}

}  // namespace evolve
