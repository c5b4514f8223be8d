#include "bench/populations.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "bench/statistics.h"
#include "bench/stopwatch.h"
#include "petri/population.h"

namespace petri::bench {
namespace {

constexpr std::size_t kIndividuals = 100'000;
constexpr std::size_t kPopulationBatch = 1'000;
constexpr std::size_t kBestAsked = 10;
constexpr std::size_t kTopQueries = 51;
constexpr std::size_t kRecordedBatches = 51;

// A population file of this process, gone with it.
struct PopulationFile {
  std::filesystem::path path = std::filesystem::temp_directory_path() / fmt::format("petri_bench_{}.petri", ::getpid());
  ~PopulationFile() {
    for (const char* ending : {"", "-wal", "-shm", "-writer"}) std::filesystem::remove(path.string() + ending);
  }
};

// Parents are a thousand numbers back; scores come in no order.
std::vector<Individual> batch_of(std::size_t first) {
  std::vector<Individual> batch;
  for (std::size_t number = first; number < first + kPopulationBatch; ++number) {
    Individual& one = batch.emplace_back();
    one.id = fmt::format("individual-{}", number);
    if (number >= kPopulationBatch) one.parents = {fmt::format("individual-{}", number - kPopulationBatch)};
    one.generation = number / kPopulationBatch;
    one.mutation = "point";
    one.fitness = Fitness{.score = static_cast<double>(number * 7'919 % 1'000'003), .components = {}};
  }
  return batch;
}

Result<void> add_all(Population& population, const std::vector<Individual>& batch) {
  for (const auto& row : population.add(batch)) PETRI_TRY(row);
  return {};
}

Result<Sampled> query_seconds(Population& population) {
  for (std::size_t first = 0; first < kIndividuals; first += kPopulationBatch)
    PETRI_TRY(add_all(population, batch_of(first)));
  return median_seconds_of(kTopQueries, [&]() -> Result<void> {
    PETRI_TRY(const auto top, population.top(kBestAsked));
    if (top.size() == kBestAsked) return {};
    return fail(ErrorCode::host_fault, fmt::format("{} individuals were found", top.size()));
  });
}

Result<Measurement> measure_population_query() {
  PETRI_TRY(Population in_memory, Populations::in_memory().population("bench"));
  PETRI_TRY(const Sampled memory, query_seconds(in_memory));
  const PopulationFile file;
  PETRI_TRY(const Populations populations, Populations::open(file.path));
  PETRI_TRY(Population in_file, populations.population("bench"));
  PETRI_TRY(const Sampled durable, query_seconds(in_file));
  return Measurement{.value = durable * 1e3, .reference = memory * 1e3};
}

Result<Measurement> measure_population_record() {
  const PopulationFile file;
  PETRI_TRY(const Populations populations, Populations::open(file.path));
  PETRI_TRY(Population population, populations.population("bench"));
  std::vector<double> seconds(kRecordedBatches);
  for (std::size_t number = 0; number < kRecordedBatches; ++number) {
    const std::vector<Individual> batch = batch_of(number * kPopulationBatch);
    PETRI_TRY(seconds[number], wall_seconds_of([&] { return add_all(population, batch); }));
  }
  return Measurement{.value = middle_of(std::move(seconds)) / kPopulationBatch * 1e6, .reference = std::nullopt};
}

}  // namespace

Benchmark population_query_ms() {
  return {.name = "population_query_ms",
          .unit = "ms",
          .what =
              "the best 10 of 100,000 individuals of a population file, median of 51; reference: in memory, which "
              "should take 5 at most (steady clock)",
          .bar = "<= 20",
          .measure = measure_population_query};
}

Benchmark population_record_us() {
  return {.name = "population_record_us",
          .unit = "us",
          .what =
              "one individual with its fitness recorded in a population file, durable, in batches of 1,000, median "
              "of 51 (steady clock)",
          .bar = "<= 10",
          .measure = measure_population_record};
}

}  // namespace petri::bench
