#include "evolve/sorting_network.h"

#include <fmt/format.h>

#include "evolve/network_drawing.h"

namespace evolve {
namespace {

constexpr std::size_t kIslands = 64;
constexpr std::size_t kMutantsPerIsland = 4;
constexpr std::size_t kTriesMax = 1'000;  // without success, before an island starts again
constexpr double kWrongAtAll = 100;       // more than any network that sorts could have comparators

Judging judging_of(const std::vector<ZeroOneBatch>& batches) {
  Judging judging{.spec = {.function = "sort", .fuel_max = 10'000, .memory_bytes_max = 64 << 10}, .cases = {}};
  for (const ZeroOneBatch& batch : batches) {
    petri::Case& one = judging.cases.emplace_back();
    for (const std::uint64_t word : batch.given) one.arguments.emplace_back(static_cast<std::int64_t>(word));
  }
  return judging;
}

std::string describe(std::size_t comparators, std::size_t wrong, std::size_t sequences) {
  if (wrong == 0) return fmt::format("{} comparators, all {} sequences sorted", comparators, sequences);
  return fmt::format("{} comparators, {} of {} sequences not sorted", comparators, wrong, sequences);
}

}  // namespace

SortingNetwork::SortingNetwork(std::size_t inputs, std::uint64_t seed)
    : inputs_(inputs),
      random_(seed),
      batches_(zero_one_batches(inputs)),
      judging_(judging_of(batches_)),
      islands_(kIslands) {
  judging_.scorer = [this](std::size_t row, std::span<const petri::CaseView> cases) { return score(row, cases); };
}

std::string SortingNetwork::title() const {
  return fmt::format("sorting network with {} inputs; {} comparators are the proved optimum", inputs_,
                     proved_optimum(inputs_));
}

std::vector<Child> SortingNetwork::ask() {
  generation_.clear();
  std::vector<Child> children;
  for (std::size_t island = 0; island < kIslands; ++island) {
    for (std::size_t i = 0; i < kMutantsPerIsland; ++i) children.push_back(make_child(island));
  }
  return children;
}

Child SortingNetwork::make_child(std::size_t island) {
  Child child;
  Mutant mutant{.island = island, .genome = {}, .network = {}};
  if (const auto& resident = islands_[island].resident) {
    mutant.genome = resident->genome;
    child.mutation = mutate_at_random(mutant.genome, inputs_, random_);
    child.parents = {resident->artifact};
  } else {
    mutant.genome = random_genome(inputs_, random_);
    child.mutation = "random";
  }
  mutant.network = express(mutant.genome, inputs_);
  builder_.clear();
  emit_network(mutant.network, inputs_, builder_);
  child.wasm = builder_.build().value();
  generation_.push_back(std::move(mutant));
  return child;
}

// A network that sorts is worth its comparators; one that does not, more than any that does.
double SortingNetwork::score(std::size_t row, std::span<const petri::CaseView> cases) const {
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) wrong += count_wrong(batches_[i], cases[i].value_bits);
  const auto comparators = static_cast<double>(generation_[row].network.size());
  return wrong == 0 ? comparators : kWrongAtAll + comparators + static_cast<double>(wrong);
}

void SortingNetwork::tell(std::span<const petri::Record> records) {
  for (std::size_t row = 0; row < records.size(); ++row) {
    if (!records[row].score) continue;
    note_best(generation_[row], records[row]);
    settle(generation_[row], records[row]);
  }
  for (Island& island : islands_) {
    if (island.tries_without_success >= kTriesMax) island = {};
  }
}

void SortingNetwork::settle(Mutant& mutant, const petri::Record& record) {
  Island& island = islands_[mutant.island];
  auto& resident = island.resident;
  const bool better = !resident || *record.score < resident->score;
  island.tries_without_success = better ? 0 : island.tries_without_success + 1;
  if (better || *record.score == resident->score) {
    resident = {.genome = std::move(mutant.genome), .score = *record.score, .artifact = *record.artifact};
  }
}

// The earlier one of equal networks stays the best.
void SortingNetwork::note_best(const Mutant& mutant, const petri::Record& record) {
  if (best_ && *record.score >= best_->score) return;
  const std::size_t comparators = mutant.network.size();
  const bool sorts = *record.score < kWrongAtAll;
  const auto wrong = sorts ? 0 : static_cast<std::size_t>(*record.score - kWrongAtAll) - comparators;
  best_ = {.score = *record.score,
           .solved = sorts && comparators <= proved_optimum(inputs_),
           .text = describe(comparators, wrong, std::size_t{1} << inputs_)};
  best_network_ = mutant.network;
}

std::vector<std::string> SortingNetwork::picture() const { return draw(best_network_, inputs_); }

}  // namespace evolve
