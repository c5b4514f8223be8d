// A population layer by layer: its scores, and the individuals that are drawn.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "petri/population.h"

namespace petri {

// The scores of one layer: the best, and the quarters.
struct LayerScores {
  std::uint64_t layer = 0;
  double best = 0;
  double upper = 0;  // a quarter is above it
  double median = 0;
  double lower = 0;
};

// Between two values in order the quantile is interpolated, as NumPy and R do by default. Sorts the scores, of which
// there is at least one.
LayerScores layer_scores(std::uint64_t layer, std::vector<double>& scores);

struct Layers {
  bool by_depth = false;  // no individual has a generation
  std::uint64_t individuals = 0;
  std::uint64_t evaluated = 0;      // with a score that is a number
  std::vector<LayerScores> scores;  // of layers with a finite score, in order
  std::vector<std::uint64_t> all;   // every layer there is, in order
};

// The layer in which an individual stands.
std::uint64_t layer_of(const Individual& individual, bool by_depth);

// Reads the population page by page: the scores are held, the individuals are not.
Result<Layers> read_layers(const Population& population);

// A drawn individual.
struct DrawnIndividual {
  Individual individual;
  bool ancestor = false;  // of the best, or the best itself
};

struct Drawing {
  std::vector<DrawnIndividual> individuals;
  std::vector<std::string> line;  // from the best to its oldest ancestor, at each step over the fitter parent
  bool cut = false;               // the best has more ancestors than are drawn
};

// The best, its ancestors, and as many of the best of each layer as there is room for.
Result<Drawing> choose_drawn(const Population& population, const Layers& layers, std::size_t drawn_max);

}  // namespace petri
