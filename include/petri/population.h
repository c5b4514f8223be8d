// Populations: individuals with parents, generation, labels and fitness, in memory or in a file that survives the
// process.
//
// Fitness has a total order: a higher score ranks first; +0 and -0 are equal; infinities are ordinary scores; NaN ranks
// behind every number, and an individual that was never evaluated behind NaN. Equal ones rank in the order in which
// they were added. So a rank is the same on every run, in memory and in a file, and NaN never wins.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "petri/result.h"

namespace petri {

// Wall time of an individual, as UTC.
using PopulationTime = std::chrono::sys_time<std::chrono::nanoseconds>;

// The score of an individual; the file says above how scores are ordered.
struct Fitness {
  double score = 0;
  std::map<std::string, double> components;     // what the score is made of, in the words of whoever scores
  PopulationTime evaluated_at{};                // record_fitness() replaces 0 by the present time
  bool operator==(const Fitness& other) const;  // NaN equals NaN here
};

// The bounds of one individual; what exceeds one is a validation_failed row.
constexpr std::size_t kIndividualIdBytesMax = 256;  // of ids, labels and the names of populations and components
constexpr std::size_t kMutationBytesMax = 1'024;
constexpr std::size_t kParentsMax = 64;
constexpr std::size_t kIndividualLabelsMax = 64;
constexpr std::size_t kFitnessComponentsMax = 64;

// Ids, labels and names are UTF-8 without control characters; they need not be ids of sandboxes.
struct Individual {
  std::string id;                    // of no other in its population
  std::vector<std::string> parents;  // ids in the same population, each once
  std::optional<std::uint64_t> generation;
  std::string mutation;  // what was done to the parents, in the words of whoever did it
  std::vector<std::string> labels;
  std::optional<Fitness> fitness;
  bool kept = false;  // remove_generations() leaves it

  // Filled in by the population.
  std::uint64_t depth = 0;   // 0 for a root, else 1 + that of its deepest parent
  std::uint64_t number = 0;  // grows from individual to individual of a population, and is never given twice
  PopulationTime created{};  // add() replaces 0 by the present time
  bool operator==(const Individual&) const = default;
};

// creation: in the order in which individuals were added; rank: the best first.
enum class PopulationOrder : std::uint8_t { creation, rank };
std::string_view name_of(PopulationOrder order);

// Conditions that must all hold. The default is all of a population.
struct PopulationQuery {
  std::string label;
  std::optional<std::uint64_t> generation;
  std::optional<bool> kept;
  PopulationOrder order = PopulationOrder::creation;
  std::size_t offset = 0;
  std::size_t limit = 100;
};

// A part of the individuals that match a query.
struct PopulationPage {
  std::vector<Individual> individuals;
  std::size_t total = 0;  // that match
};

// One individual of a walk through parents or children. Of an ancestor that was removed only the id is known.
struct Relative {
  Individual individual;
  std::uint64_t distance = 0;  // generations, on the shortest way; 0 is where the walk starts
  bool removed = false;
};

// The bounds of a walk through parents or children.
struct WalkOptions {
  std::uint64_t distance_max = UINT64_MAX;
  std::size_t individuals_max = 100'000;  // limit_exceeded beyond
};

// How individuals are added.
struct AddOptions {
  // Parents that the population does not have are accepted; the depth is then at least the one given. False: a row with
  // such a parent is not_found.
  bool missing_parents = false;
};

// The fitness of one individual, to be recorded.
struct FitnessOf {
  std::string id;
  Fitness fitness;
};

// One line of an import that was refused.
struct RefusedLine {
  std::size_t line = 0;  // counted from 1
  std::string id;        // empty where the line has none that can be read
  Error error;
};

// The result of an import.
struct ImportReport {
  std::size_t imported = 0;
  std::size_t refused = 0;
  std::vector<RefusedLine> refusals;  // the first kRefusalsKept
};
constexpr std::size_t kRefusalsKept = 1'000;
constexpr std::size_t kPopulationLineBytesMax = std::size_t{1} << 20;

// How a file is imported.
struct ImportOptions {
  bool missing_parents = false;
  std::size_t waiting_max = 1'000'000;  // lines that come before their parents' and wait for them; others are too_large
};

// The contents of a graph.
struct DotOptions {
  PopulationQuery query{.limit = 1'000};
  bool fitness = true;  // the label of a node has the score
};

// A population in the list of all.
struct PopulationSummary {
  std::string name;
  std::uint64_t individuals = 0;
};

class PopulationStore;
class Runtime;

// A named population. A value that is cheap to copy; it keeps its file open. Any thread may call: readers of a file do
// not wait for its writer. Everything that changes is durable when the call returns: it survives kill and power cut.
// Rows of one call are one transaction: a row that is refused has its error, and the others are recorded, or all have
// the error why not.
class Population {
 public:
  const std::string& name() const { return name_; }

  // already_exists, not_found for a parent that is not there, validation_failed, limit_exceeded. A parent may stand
  // earlier in the same call.
  std::vector<Result<void>> add(std::span<const Individual> individuals, const AddOptions& options = {});
  Result<void> add(const Individual& individual, const AddOptions& options = {});
  // Replaces the fitness recorded before.
  std::vector<Result<void>> record_fitness(std::span<const FitnessOf> scores);
  Result<void> record_fitness(std::string_view id, const Fitness& fitness);
  std::vector<Result<void>> keep(std::span<const std::string> ids);
  std::vector<Result<void>> release(std::span<const std::string> ids);
  std::vector<Result<void>> label(std::span<const std::string> ids, std::string_view label);
  std::vector<Result<void>> unlabel(std::span<const std::string> ids, std::string_view label);
  // Children keep the ids of parents that are removed.
  std::vector<Result<void>> remove(std::span<const std::string> ids);
  // Removes those that are not kept and whose generation is not among the newest `retained`; returns how many. Those
  // without a generation stay.
  Result<std::uint64_t> remove_generations(std::uint64_t retained);

  // not_found if there is none of this id.
  Result<Individual> find(std::string_view id) const;
  // Returns individuals that match, in the order that the query asks for.
  Result<PopulationPage> list(const PopulationQuery& query = {}) const;
  // The first `count` in the order of fitness.
  Result<std::vector<Individual>> top(std::size_t count, PopulationQuery query = {}) const;
  // The place in the order of fitness, from 1, among all of the population.
  Result<std::uint64_t> rank(std::string_view id) const;

  // Both start with the individual itself, nearest first; each relative once, however many ways lead to it.
  Result<std::vector<Relative>> lineage(std::string_view id, const WalkOptions& options = {}) const;
  Result<std::vector<Relative>> descendants(std::string_view id, const WalkOptions& options = {}) const;
  // The ancestor of both with the smallest sum of distances, of several the one added last; an individual counts as an
  // ancestor of itself. nullopt if they share none that is still there.
  Result<std::optional<Individual>> common_ancestor(std::string_view first, std::string_view second,
                                                    const WalkOptions& options = {}) const;

  // JSON Lines: a first line {"petri_population": 1, "name": ...}, an individual a line in the order of creation, and a
  // last line with their number. All of one moment.
  Result<void> export_json_lines(const std::string& path) const;
  // Adds what such a file has. A line that cannot be used is refused and named, and the others are imported: what is no
  // individual, parents that are nowhere (not_found), rings of parents (circular_dependency), an id that is there
  // already. An Error means that nothing was read: no such file, another kind of file, a newer format. A file without
  // its last line was cut short: the report says parse_failed for the line that is missing.
  Result<ImportReport> import_json_lines(const std::string& path, const ImportOptions& options = {});
  // A graph for Graphviz, with an edge from each parent to its child.
  Result<std::string> to_dot(const DotOptions& options = {}) const;

 private:
  friend class Populations;
  friend class Runtime;
  Population(std::shared_ptr<PopulationStore> store, std::string name)
      : store_(std::move(store)), name_(std::move(name)) {}
  std::shared_ptr<PopulationStore> store_;
  std::string name_;
};

// How a file is opened, and its bounds.
struct PopulationFileOptions {
  bool read_only = false;  // any number of readers, in this process and others, beside one that writes
  // Another program that writes to the file is waited for; then it is `busy`.
  std::chrono::milliseconds lock_wait_max{5'000};
  std::size_t readers_max = 8;                  // connections that read at once; more wait for one of them
  std::uint64_t individuals_max = 100'000'000;  // of a population
};

// Populations by name: in memory, or in one SQLite file. docs/guides/populations.md has its tables. open() is in the
// library petri::population_file, which needs SQLite; everything else is in petri::petri.
class Populations {
 public:
  // Ends with the last of its copies. `individuals_max` is of each population; more is limit_exceeded.
  static Populations in_memory(std::uint64_t individuals_max = 10'000'000);
  // Creates the file if it is not there. parse_failed when it is no population file, rejected when a newer petri wrote
  // it, `busy` while another one has it open for writing or a program holds its lock, io_error.
  static Result<Populations> open(const std::string& path, const PopulationFileOptions& options = {});

  // The population of this name; it is there from the first individual on. validation_failed for what is no name.
  Result<Population> population(std::string_view name) const;
  Result<std::vector<PopulationSummary>> list() const;
  // Removes a population with all its individuals.
  Result<void> remove(std::string_view name);

 private:
  explicit Populations(std::shared_ptr<PopulationStore> store) : store_(std::move(store)) {}
  std::shared_ptr<PopulationStore> store_;
};

}  // namespace petri
