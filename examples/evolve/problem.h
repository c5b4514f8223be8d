// A problem for evolution: which programs there can be, how they are judged, and what the best of them looks like.
#pragma once

#include <petri/evaluate.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace evolve {

// A program nobody has run yet, and where it comes from.
struct Child {
  std::vector<std::uint8_t> wasm;
  std::vector<petri::ArtifactId> parents;
  std::string mutation;
};

// The judging is the same for all generations, as one records file asks.
struct Judging {
  petri::EvaluationSpec spec;
  std::vector<petri::Case> cases;
  // Scores what the spec's targets cannot; lower is better. Called by several threads at once while a generation is
  // evaluated.
  std::function<double(std::size_t row, std::span<const petri::CaseView> cases)> scorer = {};
};

// Lower scores are better.
struct Best {
  double score = 0;
  bool solved = false;  // there is nothing left to look for
  std::string text;     // one line
};

// A population that is asked for its next generation and given its scores. Everything it decides follows from its seed
// and these scores.
class Problem {
 public:
  virtual ~Problem() = default;

  virtual std::string title() const = 0;
  virtual const Judging& judging() const = 0;
  virtual std::vector<Child> ask() = 0;
  // One record for each child of the last generation, in its order. The last ones may be missing, and those of children
  // that were not run have neither artifact nor score.
  virtual void tell(std::span<const petri::Record> records) = 0;
  // The best of all so far; nullptr before the first tell().
  virtual const Best* best() const = 0;
  // The best as a drawing or a formula, line by line.
  virtual std::vector<std::string> picture() const = 0;
  // Further lines worth printing once it is over, such as what others reach.
  virtual std::vector<std::string> epilogue() const { return {}; }
};

}  // namespace evolve
