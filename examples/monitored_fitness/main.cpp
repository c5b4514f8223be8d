// Monitoring as part of the fitness: what a candidate answers is its score, and fuel, memory and limits that it met are
// taken off. The parts are recorded as components, so that anybody can see why one is better than another.
#include <petri/runtime.h>

#include <algorithm>
#include <filesystem>
#include <iostream>

#include "shared/example.h"

namespace monitored_fitness {
namespace {

using petri::Result;

constexpr std::int64_t kNumbers[]{1, 10, 1'000, 5'000};

// Points for a right answer, and what is taken off for its price.
constexpr double kRight = 10;
constexpr double kPerThousandFuel = 0.25;
constexpr double kPerMegabyte = 2;
constexpr double kPerLimitMet = 15;

double correctness(petri::Sandbox& sandbox) {
  double points = 0;
  for (const std::int64_t number : kNumbers) {
    const auto outcome = sandbox.call("sum", {number});
    const petri::Value right(number * (number + 1) / 2);
    if (outcome && outcome->kind == petri::OutcomeKind::ok && outcome->values[0] == right) points += kRight;
  }
  return points;
}

// Everything but the answers is read from the sandbox's own account, which the guest cannot touch.
petri::Fitness fitness_of(petri::Sandbox& sandbox) {
  petri::Fitness fitness;
  fitness.components["correct"] = correctness(sandbox);
  const petri::SandboxInfo info = sandbox.info();
  double limits_met = 0;
  for (const auto& [limit, times] : info.limits_met) limits_met += static_cast<double>(times);
  fitness.components["fuel"] = 0 - kPerThousandFuel * static_cast<double>(info.usage.fuel_used / 1'000);
  fitness.components["memory"] = 0 - kPerMegabyte * static_cast<double>(info.usage.memory_bytes >> 20);
  fitness.components["limits"] = 0 - kPerLimitMet * limits_met;
  for (const auto& [name, points] : fitness.components) fitness.score += points;
  return fitness;
}

void print(const petri::Individual& individual, std::size_t rank) {
  std::cout << rank << ". " << individual.id << ": " << individual.fitness->score << " =";
  for (const auto& [name, points] : individual.fitness->components) std::cout << ' ' << name << ' ' << points;
  std::cout << '\n';
}

Result<std::vector<std::filesystem::path>> candidates_in(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code failed;
  for (const auto& file : std::filesystem::directory_iterator(folder + "/candidates", failed)) files.push_back(file);
  if (failed) {
    return petri::fail(petri::ErrorCode::io_error, folder + "/candidates cannot be read: " + failed.message());
  }
  std::ranges::sort(files);
  return files;
}

Result<void> rank_candidates(const std::vector<std::string>& arguments) {
  PETRI_TRY(const std::string folder, example::folder_of(arguments));
  PETRI_TRY(const auto files, candidates_in(folder));
  PETRI_TRY(const auto runtime,
            petri::Runtime::create({.workers = 1, .quarantine = {.limits_max = 0}, .breaker = {.limits_max = 0}}));
  petri::Population population = runtime->population();
  for (const auto& file : files) {
    petri::SandboxSpec spec{.id = file.stem(),
                            .modules = {{"m", petri::Source::file(file)}},
                            .profile = petri::Profile::strict,
                            .limits = {.fuel_max = 100'000}};
    // One that meets limits is restarted for every further number.
    spec.tree = petri::SupervisorSpec{.intensity = 100, .children = {petri::ChildSpec{.id = "m", .module = "m"}}};
    PETRI_TRY(petri::Sandbox sandbox, runtime->create_sandbox(std::move(spec)));
    PETRI_TRY(population.record_fitness(sandbox.id(), fitness_of(sandbox)));
  }
  PETRI_TRY(const auto ranked, population.top(files.size()));
  for (std::size_t place = 0; place < ranked.size(); ++place) print(ranked[place], place + 1);
  return {};
}

}  // namespace
}  // namespace monitored_fitness

int main(int count, char** words) { return example::run(count, words, monitored_fitness::rank_candidates); }
