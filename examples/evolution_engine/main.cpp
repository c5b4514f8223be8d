// An evolution engine outside of petri: it selects, mutates, reloads, scores and destroys live sandboxes. The record of
// everybody that ever lived is a population file, which outlives the sandboxes and the program.
#include <petri/runtime.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <iostream>

#include "shared/example.h"

namespace evolution_engine {
namespace {

using petri::Individual;
using petri::Result;
using petri::Runtime;

constexpr std::size_t kSandboxes = 20;
constexpr std::size_t kSurvivors = 5;
constexpr std::uint64_t kGenerations = 25;

// Coefficients of a polynomial; the goal is 3x^2 - 2x + 1.
using Genome = std::array<int, 3>;
double goal(double x) { return 3 * x * x - 2 * x + 1; }

petri::Source code_of(const Genome& genome) {
  std::string body = "(f64.const " + std::to_string(genome[0]) + ")";
  for (std::size_t place = 1; place < genome.size(); ++place) {
    body = "(f64.add (f64.mul (local.get $x) " + body + ") (f64.const " + std::to_string(genome[place]) + "))";
  }
  return petri::Source::wat("(module (func (export \"f\") (param $x f64) (result f64) " + body + "))");
}

// The same numbers on every machine, which the distributions of <random> do not promise.
class Dice {
 public:
  std::size_t below(std::size_t bound) {
    state_ = state_ * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
    return static_cast<std::size_t>(state_ >> 33) % bound;
  }

 private:
  std::uint64_t state_ = 1;
};

class Engine {
 public:
  Engine(Runtime& runtime, petri::Population record) : runtime_(runtime), record_(std::move(record)) {}

  Result<void> begin() {
    for (std::size_t i = 0; i < kSandboxes; ++i) {
      const Genome genome{roll(), roll(), roll()};
      const std::string id = next_id();
      PETRI_TRY(runtime_.create_sandbox(
          {.id = id, .modules = {{"curve", code_of(genome)}}, .generation = 0, .mutation = "random"}));
      genomes_[id] = genome;
    }
    return {};
  }

  // Scores everybody, records the generation as one transaction, and replaces the worst by children of the best.
  Result<void> step(std::uint64_t generation) {
    PETRI_TRY(score());
    PETRI_TRY(remember(generation));
    petri::Population alive = runtime_.population();
    PETRI_TRY(const std::vector<Individual> ranked, alive.top(kSandboxes));
    std::cout << "generation " << generation << ": best " << ranked.front().fitness->score << ", median "
              << ranked[kSandboxes / 2].fitness->score << '\n';
    for (std::size_t worst = kSurvivors; worst < ranked.size(); ++worst) {
      PETRI_TRY(runtime_.destroy(ranked[worst].id));
      genomes_.erase(ranked[worst].id);
    }
    // Survivors are kept: no collection takes them, however old they become.
    for (std::size_t best = 0; best < kSurvivors; ++best) {
      PETRI_TRY(alive.keep(std::span(&ranked[best].id, 1)).front());
    }
    for (std::size_t child = kSurvivors; child < ranked.size(); ++child) {
      PETRI_TRY(breed(ranked[dice_.below(kSurvivors)].id, generation + 1));
    }
    return {};
  }

 private:
  int roll() { return static_cast<int>(dice_.below(21)) - 10; }
  std::string next_id() { return "curve-" + std::to_string(++born_); }

  // A fork, which descends from its parent, with mutated code in place of the parent's.
  Result<void> breed(const std::string& parent, std::uint64_t generation) {
    Genome genome = genomes_[parent];
    const std::size_t place = dice_.below(genome.size());
    const bool small = dice_.below(3) > 0;
    genome[place] += small ? (dice_.below(2) == 0 ? 1 : -1) : roll();
    const std::string id = next_id();
    PETRI_TRY(petri::Sandbox child, runtime_.fork(parent, id,
                                                  {.generation = generation,
                                                   .mutation = (small ? "step " : "jump ") + std::to_string(place)}));
    PETRI_TRY(child.reload("curve", code_of(genome)));
    genomes_[id] = genome;
    return {};
  }

  Result<double> error_of(const std::string& id) {
    PETRI_TRY(petri::Sandbox sandbox, runtime_.find(id));
    double error = 0;
    for (int x = -3; x <= 3; ++x) {
      PETRI_TRY(const auto outcome, sandbox.call("f", {static_cast<double>(x)}));
      if (outcome.kind != petri::OutcomeKind::ok) return std::nan("");
      error += std::abs(outcome.values[0].f64() - goal(x));
    }
    return error;
  }

  Result<void> score() {
    std::vector<petri::FitnessOf> scores;
    for (const auto& [id, genome] : genomes_) {
      PETRI_TRY(const double error, error_of(id));
      scores.push_back({.id = id, .fitness = {.score = -error, .components = {{"error", error}}}});
    }
    for (const auto& row : runtime_.population().record_fitness(scores)) PETRI_TRY(row);
    return {};
  }

  // The newcomers of this generation, with their fitness.
  Result<void> remember(std::uint64_t generation) {
    PETRI_TRY(const auto page, runtime_.population().list({.generation = generation, .limit = kSandboxes}));
    for (const auto& row : record_.add(page.individuals)) PETRI_TRY(row);
    return {};
  }

  Runtime& runtime_;
  petri::Population record_;
  std::map<std::string, Genome> genomes_;
  std::uint64_t born_ = 0;
  Dice dice_;
};

Result<void> evolve(const std::vector<std::string>& arguments) {
  if (arguments.size() != 1) {
    return petri::fail(petri::ErrorCode::validation_failed, "give the population file as the only argument");
  }
  for (const char* ending : {"", "-wal", "-shm", "-writer"}) std::filesystem::remove(arguments[0] + ending);
  PETRI_TRY(const auto populations, petri::Populations::open(arguments[0]));
  PETRI_TRY(petri::Population record, populations.population("curves"));
  PETRI_TRY(const auto runtime, Runtime::create());
  Engine engine(*runtime, record);
  PETRI_TRY(engine.begin());
  for (std::uint64_t generation = 0; generation < kGenerations; ++generation) PETRI_TRY(engine.step(generation));

  PETRI_TRY(const auto best, record.top(1));
  PETRI_TRY(const auto lineage, record.lineage(best.front().id));
  std::cout << best.front().id << " scores " << best.front().fitness->score << " and has " << lineage.size() - 1
            << " ancestors:\n";
  for (const petri::Relative& relative : lineage) {
    std::cout << "  " << relative.individual.id << ' ' << relative.individual.mutation << ' '
              << relative.individual.fitness->score << '\n';
  }
  return {};
}

}  // namespace
}  // namespace evolution_engine

int main(int count, char** words) { return example::run(count, words, evolution_engine::evolve); }
