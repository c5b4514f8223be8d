// Generation after generation through petri, until the problem is solved, the budget is spent or someone has enough.
#pragma once

#include <petri/evaluate.h>
#include <petri/records.h>

#include <array>
#include <cstdint>
#include <functional>

#include "evolve/problem.h"

namespace evolve {

// The work done so far. All but `seconds` follows from the problem's seed.
struct Tally {
  std::size_t generations = 0;
  std::size_t evaluations = 0;
  std::array<std::size_t, 10> outcomes{};  // by OutcomeKind
  std::size_t errors = 0;                  // candidates that were never entered
  std::size_t known = 0;                   // candidates that had been evaluated before
  std::uint64_t fuel = 0;
  double seconds = 0;
};

enum class Ending : std::uint8_t { solved, budget_spent, interrupted };

struct GenerationOptions {
  std::size_t budget = 0;  // evaluations
  unsigned workers = 0;    // 0: one a core
  petri::RecordsWriter* records = nullptr;
  // Asked after each evaluation, by any thread, one at a time.
  std::function<bool()> interrupted;
  // After each generation.
  std::function<void(const Problem&, const Tally&)> on_generation;
};

struct GenerationsEnd {
  Ending ending = Ending::solved;
  Tally tally;
};

// An Error means that petri would not evaluate, or that records could not be written: what was written is whole.
petri::Result<GenerationsEnd> run_generations(Problem& problem, const GenerationOptions& options);

}  // namespace evolve
