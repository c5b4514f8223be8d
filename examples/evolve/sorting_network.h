// The search for a sorting network with as few comparators as can be.
#pragma once

#include <memory>
#include <optional>

#include "evolve/network_genome.h"
#include "evolve/problem.h"

namespace evolve {

// Islands that know nothing of each other. On each one a single network lives; of a few mutants the best takes its
// place unless it is worse. An island without success for long starts again with a random network.
class SortingNetwork : public Problem {
 public:
  SortingNetwork(std::size_t inputs, std::uint64_t seed);

  std::string title() const override;
  const Judging& judging() const override { return judging_; }
  std::vector<Child> ask() override;
  void tell(std::span<const petri::Record> records) override;
  const Best* best() const override { return best_ ? &*best_ : nullptr; }
  std::vector<std::string> picture() const override;

  const Network& best_network() const { return best_network_; }

 private:
  struct Individual {
    NetworkGenome genome;
    double score = 0;
    petri::ArtifactId artifact;
  };
  struct Island {
    std::optional<Individual> resident;
    std::size_t tries_without_success = 0;
  };
  struct Mutant {
    std::size_t island = 0;
    NetworkGenome genome;
    Network network;
  };

  Child make_child(std::size_t island);
  double score(std::size_t row, std::span<const petri::CaseView> cases) const;
  void settle(Mutant& mutant, const petri::Record& record);
  void note_best(const Mutant& mutant, const petri::Record& record);

  std::size_t inputs_;
  Random random_;
  std::vector<ZeroOneBatch> batches_;
  Judging judging_;
  petri::WasmBuilder builder_;
  std::vector<Island> islands_;
  std::vector<Mutant> generation_;
  std::optional<Best> best_;
  Network best_network_;
};

}  // namespace evolve
