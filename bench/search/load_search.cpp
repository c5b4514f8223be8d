#include "bench/search/load_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/build_files.h"
#include "bench/loaded_module.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr double kOrdinaryTimesMax = 3;
constexpr double kRefusalSeconds = 0.005, kRefusalSecondsPerByte = 0.05 / (1 << 20);
// A module that takes longer than this has been found out.
constexpr unsigned kLoadSecondsMax = 5;
constexpr std::array<double, 14> kFillers{0, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 32, 64};
constexpr int kOrdinaryTimes = 7;

// What a pair or triple is made of: a dimension at its most, or a snippet.
struct Ingredient {
  Dimension dimension = Dimension::first;
  std::uint32_t number = 0;
};

std::vector<Ingredient> ingredients() {
  std::vector<Ingredient> all;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Dimension::first); ++i) {
    const auto dimension = static_cast<Dimension>(i);
    const DimensionInfo& info = dimensions()[i];
    // Small bodies make many functions: this one is at its most when it is least.
    all.push_back({dimension, dimension == Dimension::body_bytes ? info.least : info.most});
    if (info.most > 64 && info.least < 16) all.push_back({dimension, static_cast<std::uint32_t>(std::sqrt(info.most))});
  }
  for (std::uint32_t i = 1; i < snippet_names().size(); ++i) all.push_back({Dimension::first, i});
  return all;
}

// Snippets take the first place that is free.
Genome with_ingredient(Genome genome, const Ingredient& ingredient) {
  if (ingredient.dimension != Dimension::first) {
    genome.set(ingredient.dimension, ingredient.number);
    return genome;
  }
  for (const auto place : {Dimension::first, Dimension::second, Dimension::third}) {
    if (genome.at(place) != 0) continue;
    genome.set(place, ingredient.number);
    return genome;
  }
  return genome;
}

}  // namespace

std::string Candidate::text() const {
  constexpr std::array<std::string_view, 4> kEnds{"", "", "CRASHED ", "GAVE UP "};
  constexpr std::array<std::string_view, kFaults> kFaultNames{"", " fault=last_body", " fault=vector_last",
                                                              " fault=unknown_function"};
  return fmt::format("{:.2f} {}{:.2f} ms, {} bytes, filler {}: {}{}", ratio, kEnds[static_cast<std::size_t>(cost.end)],
                     1e3 * cost.seconds, module_bytes, dilution, genome.text(),
                     kFaultNames[static_cast<std::size_t>(fault)]);
}

Result<Bar> Bar::create(Stage stage) {
  Bar bar(stage);
  if (stage == Stage::refuse) return bar;
  PETRI_TRY(const Bytes ordinary, ordinary_module());
  PETRI_TRY(const LoadCost empty, load_cost(ModuleWriter().finish(), stage, kOrdinaryTimes, kLoadSecondsMax));
  PETRI_TRY(const LoadCost cost, load_cost(ordinary, stage, kOrdinaryTimes, 10 * kLoadSecondsMax));
  bar.empty_ = empty.seconds;
  bar.ordinary_per_byte_ = (cost.seconds - empty.seconds) / static_cast<double>(ordinary.size());
  return bar;
}

double Bar::ratio_of(const LoadCost& cost, std::size_t bytes) const {
  const auto size = static_cast<double>(bytes);
  if (stage_ == Stage::refuse) return cost.seconds / (kRefusalSeconds + kRefusalSecondsPerByte * size);
  return (cost.seconds - empty_) / size / ordinary_per_byte_ / kOrdinaryTimesMax;
}

Result<LoadSearch> LoadSearch::create(const SearchOptions& options) {
  PETRI_TRY(const Bar bar, Bar::create(options.stage));
  return LoadSearch(options, bar);
}

Result<Candidate> LoadSearch::weigh(const Genome& genome, Fault fault, std::size_t bytes, int times) const {
  Candidate candidate{.genome = genome, .fault = fault};
  for (const double dilution : kFillers) {
    const Bytes wasm = genome.module({.bytes = bytes, .body_bytes = bound("body_bytes"), .dilution = dilution}, fault);
    const bool accepted = options_.stage != Stage::refuse && Artifact::from_wasm(wasm, kModuleBytesMax).has_value();
    if (!accepted && options_.stage != Stage::refuse) continue;
    candidate.module_bytes = wasm.size();
    candidate.dilution = dilution;
    PETRI_TRY(candidate.cost, load_cost(wasm, options_.stage, times, kLoadSecondsMax));
    candidate.ratio = bar_.ratio_of(candidate.cost, wasm.size());
    // What is accepted is no refusal.
    if (options_.stage == Stage::refuse && candidate.cost.end == LoadCost::End::accepted) candidate.ratio = 0;
    return candidate;
  }
  return candidate;
}

Result<std::vector<Candidate>> LoadSearch::run(const std::function<void(const Candidate&)>& on_found) {
  on_found_ = on_found;
  end_ = wall_seconds() + options_.seconds;
  PETRI_TRY(try_pairs());
  PETRI_TRY(try_triples());
  PETRI_TRY(evolve());
  return worst_;
}

bool LoadSearch::has_time() const { return wall_seconds() < end_; }

// In random order, so that a short search has seen something of everything.
Result<void> LoadSearch::try_pairs() {
  const auto all = ingredients();
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t k = i; k < all.size(); ++k) pairs.emplace_back(i, k);
  }
  std::shuffle(pairs.begin(), pairs.end(), random_);
  const double end = end_ - options_.seconds / 2;
  for (const auto& [one, other] : pairs) {
    if (wall_seconds() > end) break;
    PETRI_TRY(try_one(with_ingredient(with_ingredient(Genome(), all[one]), all[other])));
  }
  return {};
}

// The worst pairs with each ingredient more.
Result<void> LoadSearch::try_triples() {
  const auto all = ingredients();
  const std::vector<Candidate> pairs = worst_;
  const double end = end_ - options_.seconds / 3;
  for (std::size_t i = 0; i < pairs.size() * all.size() && wall_seconds() < end; ++i) {
    PETRI_TRY(try_one(with_ingredient(pairs[below(static_cast<std::uint32_t>(pairs.size()))].genome,
                                      all[below(static_cast<std::uint32_t>(all.size()))])));
  }
  return {};
}

Result<void> LoadSearch::evolve() {
  while (has_time() && !worst_.empty()) {
    const auto count = static_cast<std::uint32_t>(worst_.size());
    // The worse of two is bred from.
    PETRI_TRY(try_one(mutated(worst_[std::min(below(count), below(count))].genome)));
  }
  return {};
}

Genome LoadSearch::mutated(Genome genome) {
  const std::uint32_t changes = 1 + below(3);
  for (std::uint32_t i = 0; i < changes; ++i) {
    const auto dimension = static_cast<Dimension>(below(kDimensions));
    const DimensionInfo& info = dimensions()[static_cast<std::size_t>(dimension)];
    const std::uint32_t now = genome.at(dimension), range = info.most - info.least + 1;
    const std::array<std::uint32_t, 5> choices{info.least, info.most, now / 2, now * 2, info.least + below(range)};
    genome.set(dimension, choices[below(5)]);
  }
  return genome;
}

Result<void> LoadSearch::try_one(const Genome& genome) {
  ++tried_;
  const Fault fault = options_.stage == Stage::refuse ? static_cast<Fault>(below(kFaults)) : Fault::none;
  PETRI_TRY(Candidate candidate, weigh(genome, fault, options_.bytes, 1));
  // A first look is disturbed by whatever else the machine does.
  if (candidate.ratio > 0 && (worst_.size() < options_.kept || candidate.ratio > worst_.back().ratio)) {
    if (candidate.cost.end < LoadCost::End::crashed) {
      PETRI_TRY(candidate, weigh(genome, fault, options_.bytes, 3));
    }
    keep(std::move(candidate));
  }
  return {};
}

void LoadSearch::keep(Candidate candidate) {
  const auto known = std::find_if(worst_.begin(), worst_.end(),
                                  [&](const Candidate& other) { return other.genome == candidate.genome; });
  if (known != worst_.end() || candidate.ratio <= 0) return;
  if (on_found_ && (worst_.empty() || candidate.ratio > worst_.front().ratio)) on_found_(candidate);
  worst_.push_back(std::move(candidate));
  std::sort(worst_.begin(), worst_.end(), [](const Candidate& a, const Candidate& b) { return a.ratio > b.ratio; });
  if (worst_.size() > options_.kept) worst_.pop_back();
}

}  // namespace petri::bench
