#include "report/population/layers.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace petri {
namespace {

constexpr std::size_t kPageSize = 10'000;
constexpr std::size_t kLineMax = 100'000;

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

// Calls this with each individual, in the order of creation.
Result<void> for_each(const Population& population, const auto& visit) {
  for (std::size_t offset = 0;; offset += kPageSize) {
    PETRI_TRY(const PopulationPage page, population.list({.offset = offset, .limit = kPageSize}));
    for (const Individual& individual : page.individuals) visit(individual);
    if (page.individuals.size() < kPageSize) return {};
  }
}

// Scores by generation and by depth: which of them the layers are is known at the end.
struct Gathered {
  using ByLayer = std::map<std::uint64_t, std::vector<double>>;
  ByLayer by_generation, by_depth;
  bool has_generations = false;
  std::uint64_t individuals = 0, evaluated = 0;

  void add(const Individual& individual) {
    ++individuals;
    has_generations |= individual.generation.has_value();
    auto& of_generation = by_generation[layer_of(individual, false)];
    auto& of_depth = by_depth[layer_of(individual, true)];
    if (!individual.fitness || std::isnan(individual.fitness->score)) return;
    ++evaluated;
    if (!std::isfinite(individual.fitness->score)) return;
    of_generation.push_back(individual.fitness->score);
    of_depth.push_back(individual.fitness->score);
  }
};

// Adds individuals up to a bound, each once.
class DrawnList {
 public:
  explicit DrawnList(std::size_t max) : max_(max) {}

  bool is_full() const { return all_.size() >= max_; }
  void add(const Individual& individual, bool ancestor) {
    if (is_full() || !seen_.insert(individual.id).second) return;
    all_.push_back({.individual = individual, .ancestor = ancestor});
  }
  std::vector<DrawnIndividual> take() && { return std::move(all_); }

 private:
  const std::size_t max_;
  std::vector<DrawnIndividual> all_;
  std::unordered_set<std::string> seen_;
};

// The parent that ranks first, of those that are there; nullopt if none is.
Result<std::optional<Individual>> fitter_parent(const Population& population, const Individual& child) {
  std::optional<Individual> best;
  std::uint64_t best_rank = 0;
  for (const std::string& id : child.parents) {
    auto parent = population.find(id);
    if (!parent) continue;
    PETRI_TRY(const std::uint64_t rank, population.rank(id));
    if (best && best_rank <= rank) continue;
    best = *std::move(parent);
    best_rank = rank;
  }
  return best;
}

// Ids that were used again can lead in a ring: each individual is passed once.
Result<std::vector<Individual>> line_of(const Population& population, const Individual& best) {
  std::vector<Individual> line{best};
  std::unordered_set<std::string> seen{best.id};
  while (line.size() < kLineMax) {
    PETRI_TRY(auto parent, fitter_parent(population, line.back()));
    if (!parent || !seen.insert(parent->id).second) break;
    line.push_back(*std::move(parent));
  }
  return line;
}

// Nearest first. More than there is room for are left to the line alone.
bool add_ancestors(const Population& population, const Individual& best, std::size_t max, DrawnList& drawn) {
  const auto ancestors = population.lineage(best.id, {.individuals_max = max});
  if (!ancestors) return false;
  for (const Relative& relative : *ancestors) {
    if (!relative.removed) drawn.add(relative.individual, true);
  }
  return true;
}

// The best of each layer, then the second of each, and so on.
Result<void> add_best_of_layers(const Population& population, const Layers& layers, std::size_t room,
                                DrawnList& drawn) {
  if (layers.by_depth) {
    PETRI_TRY(const auto best, population.top(room));
    for (const Individual& individual : best) drawn.add(individual, false);
    return {};
  }
  const std::size_t each = room / layers.all.size() + 1;
  std::vector<std::vector<Individual>> tops;
  for (const std::uint64_t layer : layers.all) {
    PETRI_TRY(tops.emplace_back(), population.top(each, {.generation = layer}));
  }
  for (std::size_t place = 0; place < each && !drawn.is_full(); ++place) {
    for (const auto& top : tops) {
      if (place < top.size()) drawn.add(top[place], false);
    }
  }
  return {};
}

}  // namespace

LayerScores layer_scores(std::uint64_t layer, std::vector<double>& scores) {
  std::ranges::sort(scores);
  return {.layer = layer,
          .best = scores.back(),
          .upper = quantile(scores, 0.75),
          .median = quantile(scores, 0.5),
          .lower = quantile(scores, 0.25)};
}

std::uint64_t layer_of(const Individual& individual, bool by_depth) {
  return by_depth ? individual.depth : individual.generation.value_or(0);
}

Result<Layers> read_layers(const Population& population) {
  Gathered gathered;
  PETRI_TRY(for_each(population, [&](const Individual& individual) { gathered.add(individual); }));
  Layers layers{
      .by_depth = !gathered.has_generations, .individuals = gathered.individuals, .evaluated = gathered.evaluated};
  for (auto& [layer, scores] : layers.by_depth ? gathered.by_depth : gathered.by_generation) {
    layers.all.push_back(layer);
    if (!scores.empty()) layers.scores.push_back(layer_scores(layer, scores));
  }
  return layers;
}

Result<Drawing> choose_drawn(const Population& population, const Layers& layers, std::size_t drawn_max) {
  PETRI_TRY(const auto first, population.top(1));
  if (first.empty()) return Drawing{};
  Drawing drawing;
  DrawnList drawn(drawn_max);
  PETRI_TRY(const std::vector<Individual> line, line_of(population, first.front()));
  for (const Individual& individual : line) {
    drawing.line.push_back(individual.id);
    drawn.add(individual, true);
  }
  drawing.cut = line.size() > drawn_max || !add_ancestors(population, first.front(), drawn_max, drawn);
  PETRI_TRY(add_best_of_layers(population, layers, drawn_max, drawn));
  drawing.individuals = std::move(drawn).take();
  return drawing;
}

}  // namespace petri
