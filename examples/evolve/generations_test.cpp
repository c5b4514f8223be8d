#include "evolve/generations.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <iterator>

#include "evolve/sorting_network.h"
#include "evolve/symbolic_regression.h"

namespace evolve {
namespace {

std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// A file of this test alone, gone with it.
class RecordsPath {
 public:
  explicit RecordsPath(const std::string& name) : path_(testing::TempDir() + "evolve_" + name + ".jsonl") {}
  ~RecordsPath() { std::remove(path_.c_str()); }
  RecordsPath(const RecordsPath&) = delete;
  RecordsPath& operator=(const RecordsPath&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

struct Recorded {
  GenerationsEnd end;
  std::string records;
};

Recorded record_run(Problem& problem, const std::string& name, GenerationOptions options) {
  const RecordsPath file(name);
  const auto writer = petri::RecordsWriter::create(file.path()).value();
  options.records = writer.get();
  const auto end = run_generations(problem, options).value();
  EXPECT_TRUE(writer->close());
  return {.end = end, .records = contents_of(file.path())};
}

TEST(Generations, FindTheOptimumOfFourInputs) {
  SortingNetwork problem(4, 1);

  const auto end = run_generations(problem, {.budget = 20'000});

  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->ending, Ending::solved);
  EXPECT_EQ(problem.best_network().size(), 5U);
  EXPECT_EQ(problem.best()->score, 5);
  EXPECT_EQ(end->tally.outcomes[static_cast<std::size_t>(petri::OutcomeKind::ok)], end->tally.evaluations);
}

TEST(Generations, GiveTheSameRecordsWithOneWorkerAndTwo) {
  SortingNetwork one(5, 7);
  SortingNetwork two(5, 7);

  const Recorded with_one = record_run(one, "one", {.budget = 2'000, .workers = 1});
  const Recorded with_two = record_run(two, "two", {.budget = 2'000, .workers = 2});

  EXPECT_EQ(with_one.records, with_two.records);
  EXPECT_EQ(one.best_network(), two.best_network());
}

TEST(Generations, GiveTheSameRecordsOfTreesWithOneWorkerAndTwo) {
  const auto benchmark = regression_benchmark("nguyen-7").value();
  TreeProblem one(symbolic_regression(benchmark, 3), 3);
  TreeProblem two(symbolic_regression(benchmark, 3), 3);

  const Recorded with_one = record_run(one, "tree_one", {.budget = 1'500, .workers = 1});
  const Recorded with_two = record_run(two, "tree_two", {.budget = 1'500, .workers = 2});

  EXPECT_EQ(with_one.records, with_two.records);
  EXPECT_EQ(one.picture(), two.picture());
}

TEST(Generations, DifferWithTheSeed) {
  SortingNetwork one(5, 1);
  SortingNetwork two(5, 2);

  EXPECT_NE(record_run(one, "seed_1", {.budget = 64}).records, record_run(two, "seed_2", {.budget = 64}).records);
}

TEST(Generations, EvaluateNoMoreThanTheBudget) {
  SortingNetwork problem(8, 1);
  std::size_t reported = 0;

  const auto end = run_generations(problem, {.budget = 300, .on_generation = [&](const Problem&, const Tally& tally) {
                                               reported = tally.evaluations;
                                             }});

  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->ending, Ending::budget_spent);
  EXPECT_EQ(end->tally.evaluations, 300U);
  EXPECT_EQ(reported, 300U);
}

TEST(Generations, KeepWhatIsDoneWhenInterrupted) {
  SortingNetwork problem(8, 1);
  std::atomic<int> asked{0};
  const RecordsPath file("interrupted");
  const auto writer = petri::RecordsWriter::create(file.path()).value();

  const auto end = run_generations(
      problem,
      {.budget = 1'000'000, .workers = 1, .records = writer.get(), .interrupted = [&] { return ++asked == 300; }});
  ASSERT_TRUE(writer->close());

  ASSERT_TRUE(end) << end.error().message;
  EXPECT_EQ(end->ending, Ending::interrupted);
  EXPECT_GE(end->tally.evaluations, 300U);
  EXPECT_LT(end->tally.evaluations, 512U);
  EXPECT_NE(problem.best(), nullptr);
  const auto verified = petri::verify(file.path());
  ASSERT_TRUE(verified) << verified.error().message;
  EXPECT_EQ(verified->verified, end->tally.evaluations);
}

TEST(Generations, NameParentsAndMutationsInTheRecords) {
  SortingNetwork problem(8, 1);
  const RecordsPath file("origins");
  const auto writer = petri::RecordsWriter::create(file.path()).value();
  ASSERT_TRUE(run_generations(problem, {.budget = 600, .records = writer.get()}));
  ASSERT_TRUE(writer->close());

  const auto read = petri::read_records(file.path()).value();

  EXPECT_EQ(read.records.front().origin->mutation, "random");
  EXPECT_TRUE(read.records.front().origin->parents.empty());
  EXPECT_EQ(read.records.back().origin->generation, 2U);
  EXPECT_EQ(read.records.back().origin->parents.size(), 1U);
  EXPECT_EQ(read.header.scored_by, petri::ScoredBy::host);
}

}  // namespace
}  // namespace evolve
