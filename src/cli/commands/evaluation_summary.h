// The summary that `petri evaluate` prints at its end, as data and in words.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/json.h"
#include "petri/evaluate.h"

namespace petri::cli {

struct BestRow {
  std::size_t row = 0;
  double score = 0;
  std::uint64_t fuel_used = 0;
  ArtifactId artifact;
  std::string name;
};

// Sums over the batches of one invocation.
struct EvaluationSummary {
  std::size_t candidates = 0;  // that were asked for, evaluated or not
  std::size_t ignored_files = 0;
  EvaluationCounts counts;  // `rows` are those that were read
  std::array<std::size_t, 10> outcomes{};
  std::map<ErrorCode, std::size_t> errors;  // without cancelled
  std::uint64_t fuel_used = 0;              // by all records together; stays at the largest number if that is met
  std::chrono::nanoseconds wall_time{0};    // of evaluating, reading aside
  bool scored = false;
  std::vector<BestRow>
      best;  // lowest scores first, then least fuel, then earliest rows; no NaN, and no candidate twice

  double per_second() const;
};

// Adds a batch whose rows come after those already summed up; `names` are those of its candidates.
void add(EvaluationSummary& summary, const Evaluation& evaluation, std::span<const std::string> names,
         std::size_t best_max);

std::string to_text(const EvaluationSummary& summary);
Json to_json(const EvaluationSummary& summary);

}  // namespace petri::cli
