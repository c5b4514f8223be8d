// The sandboxes of a runtime as a population: descent, fitness, rank, labels and keep.
#include <gmock/gmock.h>

#include <limits>

#include "runtime_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class LivePopulationTest : public RuntimeFixture {
 protected:
  Sandbox child(std::string id, std::vector<std::string> parents, std::optional<std::uint64_t> generation = {}) {
    SandboxSpec spec = counter(std::move(id));
    spec.parents = std::move(parents);
    spec.generation = generation;
    return create(std::move(spec));
  }
  void score(std::string_view id, double score) {
    const auto recorded = runtime_->population().record_fitness(id, {.score = score});
    ASSERT_TRUE(recorded) << recorded.error();
  }
  static std::vector<std::string> ids(const std::vector<Individual>& individuals) {
    std::vector<std::string> all;
    for (const Individual& individual : individuals) all.push_back(individual.id);
    return all;
  }
  static std::vector<std::string> ids(const std::vector<Relative>& relatives) {
    std::vector<std::string> all;
    for (const Relative& relative : relatives) {
      all.push_back(relative.individual.id + " " + std::to_string(relative.distance) +
                    (relative.removed ? " gone" : ""));
    }
    return all;
  }
  // An error as "code: message".
  template <typename T>
  static std::string refusal(const Result<T>& result) {
    return result ? "it was accepted" : to_text(result.error());
  }
};

// G01
TEST_F(LivePopulationTest, InfoAndLineageHaveTheDescentThatWasGiven) {
  child("root", {}, 0);
  child("other", {}, 0);
  child("middle", {"root"}, 1);
  SandboxSpec spec = counter("last");
  spec.parents = {"other", "middle"};
  spec.generation = 2;
  spec.mutation = "crossover";
  create(std::move(spec));

  const SandboxInfo info = *runtime_->info("last");
  EXPECT_THAT(info.parents, ElementsAre("other", "middle"));
  EXPECT_EQ(info.generation, 2);
  EXPECT_EQ(info.mutation, "crossover");
  EXPECT_EQ(info.depth, 2);
  EXPECT_EQ(runtime_->info("root")->depth, 0);
  const auto lineage = *runtime_->population().lineage("last");
  EXPECT_THAT(ids(lineage), ElementsAre("last 0", "other 1", "middle 1", "root 2"));
  EXPECT_EQ(lineage[0].individual.mutation, "crossover");
  EXPECT_EQ(lineage[0].individual.depth, 2);
}

// G01
TEST_F(LivePopulationTest, TheOneParentOfAForkIsItsOrigin) {
  child("root", {}, 4);
  child("middle", {"root"}, 5);
  ASSERT_TRUE(runtime_->fork("middle", "twin"));
  ASSERT_TRUE(runtime_->fork("middle", "next", {.generation = 6, .mutation = "swap"}));

  const SandboxInfo twin = *runtime_->info("twin");
  EXPECT_THAT(twin.parents, ElementsAre("middle"));
  EXPECT_EQ(twin.depth, 2);
  EXPECT_EQ(twin.generation, 5);
  EXPECT_EQ(twin.mutation, "");
  const SandboxInfo next = *runtime_->info("next");
  EXPECT_EQ(next.generation, 6);
  EXPECT_EQ(next.mutation, "swap");
  EXPECT_THAT(refusal(runtime_->fork("middle", "bad", {.mutation = "a\nb"})), HasSubstr("validation_failed"));
}

// G02
TEST_F(LivePopulationTest, AWalkNamesASharedGrandparentOnce) {
  child("grand", {});
  child("left", {"grand"});
  child("right", {"grand"});
  child("young", {"left", "right"});
  EXPECT_THAT(ids(*runtime_->population().lineage("young")), ElementsAre("young 0", "left 1", "right 1", "grand 2"));
  EXPECT_THAT(ids(*runtime_->population().descendants("grand")),
              ElementsAre("grand 0", "left 1", "right 1", "young 2"));
  EXPECT_EQ((*runtime_->population().common_ancestor("left", "right"))->id, "grand");
}

// G01
TEST_F(LivePopulationTest, AParentThatIsGoneIsKnownById) {
  child("root", {});
  child("middle", {"root"});
  child("young", {"middle"});
  ASSERT_TRUE(runtime_->destroy("middle"));
  EXPECT_THAT(ids(*runtime_->population().lineage("young")), ElementsAre("young 0", "middle 1 gone"));
  EXPECT_EQ(runtime_->info("young")->depth, 2);
  child("late", {"middle"});
  EXPECT_EQ(runtime_->info("late")->depth, 1);
}

// An id may be used again, so that descent can run in a ring.
TEST_F(LivePopulationTest, ARingOfIdsThatWereUsedAgainIsWalkedOnce) {
  child("a", {});
  child("b", {"a"});
  ASSERT_TRUE(runtime_->destroy("a"));
  child("a", {"b"});
  EXPECT_THAT(ids(*runtime_->population().lineage("a")), ElementsAre("a 0", "b 1"));
}

// G03
TEST_F(LivePopulationTest, FitnessIsRecordedReplacedAndShown) {
  child("a", {});
  const auto before = std::chrono::system_clock::now();
  Population population = runtime_->population();
  ASSERT_TRUE(population.record_fitness("a", {.score = 2, .components = {{"speed", 1.5}}}));
  ASSERT_TRUE(population.record_fitness("a", {.score = 3, .components = {{"size", 0.5}}}));

  const Fitness fitness = runtime_->info("a")->fitness.value();
  EXPECT_EQ(fitness.score, 3);
  EXPECT_EQ(fitness.components, (std::map<std::string, double>{{"size", 0.5}}));
  EXPECT_GE(fitness.evaluated_at, before);
  EXPECT_EQ(population.find("a")->fitness, fitness);
  const auto rows = population.record_fitness(
      std::vector<FitnessOf>{{.id = "nobody", .fitness = {}}, {.id = "a", .fitness = {.score = 4}}});
  EXPECT_EQ(rows[0].error().code, ErrorCode::not_found);
  EXPECT_TRUE(rows[1]);
  EXPECT_EQ(runtime_->info("a")->fitness->score, 4);
}

// G04
TEST_F(LivePopulationTest, RanksInTheTotalOrderAndNaNNeverWins) {
  for (const char* id : {"one", "nan", "three", "none", "equal"}) child(id, {});
  score("one", 1);
  score("nan", std::numeric_limits<double>::quiet_NaN());
  score("three", 3);
  score("equal", 1);
  EXPECT_THAT(ids(*runtime_->population().top(9)), ElementsAre("three", "one", "equal", "nan", "none"));
  EXPECT_EQ(runtime_->population().rank("nan"), 4U);
}

// G05
TEST_F(LivePopulationTest, ALabelListsItsMembersPageByPage) {
  std::vector<std::string> expected;
  for (int i = 0; i < 7; ++i) {
    SandboxSpec spec = counter("s" + std::to_string(i));
    spec.labels = {i % 2 == 0 ? "even" : "odd"};
    spec.generation = i;
    create(std::move(spec));
    if (i % 2 == 0) expected.push_back("s" + std::to_string(i));
  }
  ASSERT_TRUE(runtime_->stop("s2"));
  score("s4", 9);
  std::vector<std::string> listed, ranked;
  for (std::size_t offset = 0; offset < 4; ++offset) {
    const SandboxPage page = runtime_->list({.label = "even", .offset = offset, .limit = 1});
    ASSERT_EQ(page.total, 4);
    ASSERT_EQ(page.sandboxes.size(), 1);
    listed.push_back(page.sandboxes[0].id);
    const auto again = *runtime_->population().list({.label = "even", .offset = offset, .limit = 1});
    ASSERT_EQ(again.total, 4);
    ranked.push_back(again.individuals.at(0).id);
  }
  EXPECT_EQ(listed, expected);
  EXPECT_EQ(ranked, expected);
  const SandboxPage all = runtime_->list({.label = "even"});
  EXPECT_EQ(all.sandboxes[1].status, SandboxStatus::stopped);
  EXPECT_EQ(all.sandboxes[2].generation, 4);
  EXPECT_EQ(all.sandboxes[2].fitness->score, 9);
  EXPECT_EQ(all.sandboxes[0].fitness, std::nullopt);
}

// G06
TEST_F(LivePopulationTest, AGenerationHasItsMembersAndItsBest) {
  for (int i = 0; i < 10; ++i) {
    const std::string id = "s" + std::to_string(i);
    child(id, {}, i < 5 ? 1 : 2);
    score(id, i % 3);
  }
  Population population = runtime_->population();
  EXPECT_THAT(ids(population.list({.generation = 2})->individuals), ElementsAre("s5", "s6", "s7", "s8", "s9"));
  const auto ranked = population.top(9, {.generation = 2});
  const auto best = population.top(3, {.generation = 2});
  EXPECT_THAT(ids(*ranked), ElementsAre("s5", "s8", "s7", "s6", "s9"));
  EXPECT_THAT(ids(*best), ElementsAre("s5", "s8", "s7"));
}

// G12
TEST_F(LivePopulationTest, TheWorstHalfIsDestroyedAndNothingOfItIsLeft) {
  constexpr int kSandboxes = 100;
  const std::size_t artifacts = runtime_->info().artifacts;
  std::vector<FitnessOf> scores;
  for (int i = 0; i < kSandboxes; ++i) {
    const std::string answer = std::to_string(i * 7 % kSandboxes);
    Sandbox sandbox = create(
        {.id = "s" + std::to_string(i),
         .modules = {{"m", Source::wat("(module (func (export \"f\") (result i32) (i32.const " + answer + ")))")}},
         .generation = 1});
    const auto outcome = sandbox.call("f");
    ASSERT_TRUE(outcome);
    scores.push_back({.id = sandbox.id(), .fitness = {.score = static_cast<double>(outcome->values[0].i32())}});
  }
  Population population = runtime_->population();
  for (const auto& row : population.record_fitness(scores)) ASSERT_TRUE(row);
  const auto worst = *population.list({.order = PopulationOrder::rank, .offset = kSandboxes / 2});
  ASSERT_EQ(worst.individuals.size(), kSandboxes / 2);
  for (const Individual& individual : worst.individuals) ASSERT_TRUE(runtime_->destroy(individual.id));

  const auto left = *population.list({.generation = 1, .order = PopulationOrder::rank});
  EXPECT_EQ(left.total, kSandboxes / 2);
  EXPECT_EQ(left.individuals.front().fitness->score, kSandboxes - 1);
  EXPECT_EQ(left.individuals.back().fitness->score, kSandboxes / 2);
  expect_soon([&] {
    const std::size_t now = runtime_->info().artifacts;
    return now == artifacts + kSandboxes / 2 ? std::string() : std::to_string(now) + " artifacts";
  });
}

// G14
TEST_F(LivePopulationTest, LabelsAndKeepAreGivenToManyAtOnce) {
  for (const char* id : {"a", "b", "c"}) child(id, {});
  Population population = runtime_->population();
  const std::vector<std::string> some{"a", "nobody", "c"};
  const auto labelled = population.label(some, "elite");
  EXPECT_TRUE(labelled[0]);
  EXPECT_EQ(labelled[1].error().code, ErrorCode::not_found);
  EXPECT_TRUE(labelled[2]);
  EXPECT_EQ(runtime_->list({.label = "elite"}).total, 2);
  EXPECT_EQ(population.label(some, "no label")[0].error().code, ErrorCode::validation_failed);

  EXPECT_TRUE(population.keep(some)[2]);
  EXPECT_TRUE(runtime_->info("c")->kept);
  EXPECT_THAT(ids(population.list({.kept = true})->individuals), ElementsAre("a", "c"));
  EXPECT_TRUE(population.release(some)[0]);
  EXPECT_EQ(population.list({.kept = true})->total, 0);
  EXPECT_TRUE(population.unlabel(some, "elite")[0]);
  EXPECT_EQ(runtime_->list({.label = "elite"}).total, 0);
}

TEST_F(LivePopulationTest, MembersComeAndGoAsSandboxesAlone) {
  child("a", {});
  Population population = runtime_->population();
  EXPECT_THAT(refusal(population.add(Individual{.id = "b"})), HasSubstr("create_sandbox() adds one"));
  EXPECT_EQ(population.remove(std::vector<std::string>{"a"})[0].error().code, ErrorCode::validation_failed);
  EXPECT_EQ(population.remove_generations(0).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(population.list()->total, 1);
  runtime_.reset();
  EXPECT_EQ(population.list()->total, 0);
}

TEST_F(LivePopulationTest, IsRecordedInAPopulationOfOnesOwn) {
  child("a", {}, 0);
  child("b", {"a"}, 1);
  score("b", 2);
  Population own = *Populations::in_memory().population("history");
  for (const auto& row : own.add(runtime_->population().list()->individuals)) ASSERT_TRUE(row) << row.error();
  ASSERT_TRUE(runtime_->destroy("a"));
  EXPECT_THAT(ids(*own.lineage("b")), ElementsAre("b 0", "a 1"));
  EXPECT_EQ(own.find("b")->fitness->score, 2);
}

TEST_F(LivePopulationTest, ASpecWithABadDescentIsRefused) {
  SandboxSpec spec = counter("a");
  spec.parents = {"a"};
  EXPECT_THAT(refusal(runtime_->create_sandbox(spec)), HasSubstr("the individual \"a\" is its own parent"));
  spec.parents = {"b", "b", "c\n"};
  spec.mutation = std::string(kMutationBytesMax + 1, 'x');
  const std::string all = refusal(runtime_->create_sandbox(spec));
  EXPECT_THAT(all, HasSubstr("parents[1] is there twice"));
  EXPECT_THAT(all, HasSubstr("parents[2] has control characters"));
  EXPECT_THAT(all, HasSubstr("mutation has 1025 bytes"));
  EXPECT_EQ(runtime_->list().total, 0);
  const auto read = SandboxSpec::from_json(R"json({"id": "a", "modules": {"m": {"wat": "(module)"}}, "parents": ["p"],
      "mutation": "swap"})json");
  ASSERT_TRUE(read) << read.error();
  EXPECT_THAT(read->parents, ElementsAre("p"));
  EXPECT_EQ(read->mutation, "swap");
}

}  // namespace
}  // namespace petri
