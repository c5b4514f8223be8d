#include "bench/search/load_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/build_files.h"
#include "bench/loaded_module.h"
#include "bench/statistics.h"
#include "bench/stopwatch.h"

namespace petri::bench {
namespace {

constexpr double kOrdinaryTimesMax = 3;
constexpr double kRefusalSeconds = 0.005, kRefusalSecondsPerByte = 0.05 / (1 << 20);
// A module that takes longer than this has been found out.
constexpr unsigned kLoadSecondsMax = 5;
constexpr std::array<double, 14> kFillers{0, 0.25, 0.5, 1, 1.5, 2, 3, 4, 6, 8, 12, 16, 32, 64};
constexpr int kOrdinaryTimes = 7;
// A ratio that is worth a second look, and how often it is taken; compiling takes its time.
constexpr double kNearBar = 0.8;
constexpr int kTurns = 15, kTurnsCompiled = 3;

// An ingredient of a pair or triple: a dimension at its most, or a snippet.
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

Bytes module_of(const Candidate& candidate, std::size_t bytes) {
  return candidate.genome.module({.bytes = bytes, .body_bytes = bound("body_bytes"), .dilution = candidate.dilution},
                                 candidate.fault);
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
  PETRI_TRY(bar.ordinary_, ordinary_module());
  PETRI_TRY(const LoadCost empty, load_cost(ModuleWriter().finish(), stage, kOrdinaryTimes, kLoadSecondsMax));
  bar.empty_ = empty.seconds;
  PETRI_TRY(bar.ordinary_per_byte_, bar.ordinary_seconds_per_byte(kOrdinaryTimes));
  return bar;
}

Result<double> Bar::ordinary_seconds_per_byte(int times) const {
  PETRI_TRY(const LoadCost cost, load_cost(ordinary_, stage_, times, 10 * kLoadSecondsMax));
  return (cost.seconds - empty_) / static_cast<double>(ordinary_.size());
}

double Bar::ratio_of(const LoadCost& cost, std::size_t bytes) const {
  const auto size = static_cast<double>(bytes);
  if (stage_ == Stage::refuse) return cost.seconds / (kRefusalSeconds + kRefusalSecondsPerByte * size);
  return (cost.seconds - empty_) / size / ordinary_per_byte_ / kOrdinaryTimesMax;
}

Result<double> Bar::ratio_beside_ordinary(const Bytes& wasm) const {
  std::vector<double> ratios;
  const int turns = stage_ == Stage::compiled ? kTurnsCompiled : kTurns;
  for (int turn = 0; turn < turns; ++turn) {
    Bar now = *this;
    if (stage_ != Stage::refuse) {
      PETRI_TRY(now.ordinary_per_byte_, ordinary_seconds_per_byte(1));
    }
    PETRI_TRY(const LoadCost cost, load_cost(wasm, stage_, 1, kLoadSecondsMax));
    ratios.push_back(now.ratio_of(cost, wasm.size()));
  }
  return median(std::move(ratios));
}

Result<LoadSearch> LoadSearch::create(const SearchOptions& options) {
  PETRI_TRY(const Bar bar, Bar::create(options.stage));
  return LoadSearch(options, std::move(bar));
}

Result<Candidate> LoadSearch::confirmed(Candidate candidate) const {
  candidate.is_confirmed = true;
  // A candidate that crashes, is given up or is accepted at no density has no ratio to be made more exact.
  if (candidate.ratio <= 0 || candidate.cost.end >= LoadCost::End::crashed) return candidate;
  const Bytes wasm = module_of(candidate, options_.bytes);
  PETRI_TRY(candidate.ratio, bar_.ratio_beside_ordinary(wasm));
  return candidate;
}

Result<Candidate> LoadSearch::weigh(const Genome& genome, Fault fault, std::size_t bytes, int times) const {
  Candidate candidate{.genome = genome, .fault = fault};
  for (const double dilution : kFillers) {
    candidate.dilution = dilution;
    const Bytes wasm = module_of(candidate, bytes);
    const bool accepted = options_.stage != Stage::refuse && Artifact::from_wasm(wasm, kModuleBytesMax).has_value();
    if (!accepted && options_.stage != Stage::refuse) continue;
    candidate.module_bytes = wasm.size();
    PETRI_TRY(candidate.cost, load_cost(wasm, options_.stage, times, kLoadSecondsMax));
    candidate.ratio = bar_.ratio_of(candidate.cost, wasm.size());
    // An accepted module is no refusal.
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
  PETRI_TRY(confirm_worst());
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

// The worst of many thousand looks are often those that something has disturbed: the first is to be one that is not.
Result<void> LoadSearch::confirm_worst() {
  while (!worst_.empty() && !worst_.front().is_confirmed && worst_.front().ratio > kNearBar) {
    PETRI_TRY(worst_.front(), confirmed(worst_.front()));
    sort_worst();
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
  sort_worst();
  if (worst_.size() > options_.kept) worst_.pop_back();
}

void LoadSearch::sort_worst() {
  std::sort(worst_.begin(), worst_.end(), [](const Candidate& a, const Candidate& b) { return a.ratio > b.ratio; });
}

}  // namespace petri::bench
