// Populations, in memory and in a file, which have the same answers.
#include "petri/population.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/files/test_file.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Ids = std::vector<std::string>;
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

enum class Store { memory, file };
void PrintTo(Store store, std::ostream* out) { *out << (store == Store::memory ? "memory" : "file"); }

Individual individual(std::string id, Ids parents = {}, std::optional<std::uint64_t> generation = {}) {
  return {.id = std::move(id), .parents = std::move(parents), .generation = generation};
}

template <typename Items>
Ids ids_of(const Items& items) {
  Ids ids;
  for (const auto& item : items) ids.push_back(item.id);
  return ids;
}

ErrorCode code_of(const auto& result) { return result ? ErrorCode::host_fault : result.error().code; }

class PopulationTest : public ::testing::TestWithParam<Store> {
 protected:
  ~PopulationTest() override {
    for (const char* ending : {"", "-wal", "-shm", "-writer"}) std::remove((file_.path() + ending).c_str());
  }
  Populations open() {
    if (GetParam() == Store::memory) return Populations::in_memory();
    auto opened = Populations::open(file_.path());
    EXPECT_TRUE(opened) << opened.error().message;
    return *opened;
  }
  void add(std::vector<Individual> individuals) {
    for (const auto& added : population_.add(individuals)) EXPECT_TRUE(added) << added.error().message;
  }
  // One for each score, named a, b, c ...
  void add_scored(const std::vector<std::optional<double>>& scores) {
    std::string name = "a";
    for (const auto& score : scores) {
      add({individual(name)});
      if (score) {
        EXPECT_TRUE(population_.record_fitness(name, {.score = *score}));
      }
      ++name.front();
    }
  }
  Ids ranked() { return ids_of(*population_.top(100)); }

  TestFile file_;
  Populations populations_ = open();
  Population population_ = *populations_.population("main");
};
INSTANTIATE_TEST_SUITE_P(Stores, PopulationTest, ::testing::Values(Store::memory, Store::file),
                         [](const auto& store) { return store.param == Store::memory ? "memory" : "file"; });

TEST_P(PopulationTest, KeepsWhatAnIndividualIs) {
  Individual given = individual("b", {"a"}, 3);
  given.mutation = "swapped two operators";
  given.labels = {"elite", "of \"Tuesday\""};
  given.fitness = Fitness{.score = 2.5, .components = {{"speed", 0.5}, {"size", kNan}}};
  given.kept = true;
  add({individual("a"), given});

  const auto found = population_.find("b");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->depth, 1);
  EXPECT_GT(found->created, PopulationTime());
  EXPECT_GT(found->fitness->evaluated_at, PopulationTime());
  given.depth = 1;
  given.number = 2;
  given.created = found->created;
  given.fitness->evaluated_at = found->fitness->evaluated_at;
  EXPECT_EQ(*found, given);
}

TEST_P(PopulationTest, ADepthIsOneMoreThanThatOfTheDeepestParent) {
  add({individual("root"), individual("child", {"root"}), individual("other"), individual("both", {"other", "child"})});

  EXPECT_EQ(population_.find("root")->depth, 0);
  EXPECT_EQ(population_.find("child")->depth, 1);
  EXPECT_EQ(population_.find("both")->depth, 2);
}

TEST_P(PopulationTest, RefusesRowsAloneAndRecordsTheOthers) {
  Individual long_label = individual("long");
  long_label.labels = {std::string(kIndividualIdBytesMax + 1, 'x')};
  const auto rows = population_.add(std::vector{
      individual("a"), individual("a"), individual(""), individual("b", {"none"}), individual("c", {"a"}),
      individual("d", {"d"}), individual("e\n"), individual("\xFF"), long_label, individual("f", {"a", "a"})});

  EXPECT_TRUE(rows[0]);
  EXPECT_EQ(code_of(rows[1]), ErrorCode::already_exists);
  EXPECT_EQ(code_of(rows[2]), ErrorCode::validation_failed);
  EXPECT_EQ(code_of(rows[3]), ErrorCode::not_found);
  EXPECT_THAT(rows[3].error().message, HasSubstr("\"none\""));
  EXPECT_TRUE(rows[4]);
  EXPECT_EQ(code_of(rows[5]), ErrorCode::circular_dependency);
  for (const std::size_t row : {6, 7, 8, 9}) EXPECT_EQ(code_of(rows[row]), ErrorCode::validation_failed) << row;
  EXPECT_THAT(ids_of(population_.list()->individuals), ElementsAre("a", "c"));
}

TEST_P(PopulationTest, AParentThatIsNotThereIsAcceptedOnRequest) {
  Individual orphan = individual("b", {"gone"});
  orphan.depth = 7;

  EXPECT_TRUE(population_.add(orphan, {.missing_parents = true}));
  EXPECT_EQ(population_.find("b")->depth, 7);
  add({individual("c", {"b"})});
  EXPECT_EQ(population_.find("c")->depth, 8);
}

// G04
TEST_P(PopulationTest, RanksByScoreAndNaNNeverWins) {
  add_scored({1, kNan, 3, kNan});
  EXPECT_THAT(ranked(), ElementsAre("c", "a", "b", "d"));
}

// G04
TEST_P(PopulationTest, RanksInfinitiesZerosEqualScoresAndThoseWithoutAnyInOneOrder) {
  add_scored({std::nullopt, -0.0, kInfinity, kNan, 0.0, -kInfinity, 2, 2});
  const Ids expected = {"c", "g", "h", "b", "e", "f", "d", "a"};

  EXPECT_EQ(ranked(), expected);
  for (std::size_t place = 0; place < expected.size(); ++place) {
    EXPECT_EQ(*population_.rank(expected[place]), place + 1) << expected[place];
  }
}

TEST_P(PopulationTest, ANewFitnessReplacesTheOneBefore) {
  add_scored({1, 2});
  EXPECT_TRUE(population_.record_fitness("a", {.score = 5, .components = {{"speed", 1}}}));
  EXPECT_TRUE(population_.record_fitness("a", {.score = 3, .components = {{"size", 2}}}));

  EXPECT_THAT(ranked(), ElementsAre("a", "b"));
  const Individual found = *population_.find("a");
  EXPECT_EQ(found.fitness->score, 3);
  EXPECT_EQ(found.fitness->components, (std::map<std::string, double>{{"size", 2}}));
  EXPECT_EQ(code_of(population_.record_fitness("none", {.score = 1})), ErrorCode::not_found);
}

TEST_P(PopulationTest, ListsByLabelGenerationAndKept) {
  add({individual("a", {}, 1), individual("b", {}, 2), individual("c", {}, 2), individual("d")});
  EXPECT_THAT(population_.label(Ids{"a", "c"}, "elite"), ElementsAre(Result<void>(), Result<void>()));
  EXPECT_THAT(population_.keep(Ids{"c"}), SizeIs(1));
  EXPECT_TRUE(population_.record_fitness("c", {.score = 1}));

  const auto ids = [&](const PopulationQuery& query) { return ids_of(population_.list(query)->individuals); };
  EXPECT_THAT(ids({}), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(ids({.label = "elite"}), ElementsAre("a", "c"));
  EXPECT_THAT(ids({.label = "elite", .order = PopulationOrder::rank}), ElementsAre("c", "a"));
  EXPECT_THAT(ids({.generation = 2}), ElementsAre("b", "c"));
  EXPECT_THAT(ids({.label = "elite", .generation = 2}), ElementsAre("c"));
  EXPECT_THAT(ids({.kept = true}), ElementsAre("c"));
  EXPECT_THAT(ids({.kept = false}), ElementsAre("a", "b", "d"));
  EXPECT_THAT(ids({.label = "none"}), IsEmpty());
}

TEST_P(PopulationTest, PagesHaveEachIndividualOnceAndTheTotal) {
  std::vector<Individual> all;
  for (int number = 0; number < 25; ++number) all.push_back(individual(std::to_string(number), {}, number % 2));
  add(all);
  for (const PopulationOrder order : {PopulationOrder::creation, PopulationOrder::rank}) {
    for (const auto generation : {std::optional<std::uint64_t>(), std::optional<std::uint64_t>(1)}) {
      Ids seen;
      const std::size_t total = generation ? 12 : 25;
      for (std::size_t offset = 0; offset <= total; offset += 10) {
        const auto page = population_.list({.generation = generation, .order = order, .offset = offset, .limit = 10});
        EXPECT_EQ(page->total, total);
        for (const auto& id : ids_of(page->individuals)) seen.push_back(id);
      }
      EXPECT_THAT(seen, SizeIs(total));
      EXPECT_EQ(std::set(seen.begin(), seen.end()).size(), total);
    }
  }
}

TEST_P(PopulationTest, LabelsAreGivenAndTakenFromMany) {
  add({individual("a"), individual("b")});
  const auto labelled = population_.label(Ids{"a", "none", "b", "a"}, "x y \"z\" 🧫");
  EXPECT_EQ(code_of(labelled[1]), ErrorCode::not_found);
  EXPECT_THAT(population_.find("a")->labels, ElementsAre("x y \"z\" 🧫"));
  EXPECT_EQ(code_of(population_.label(Ids{"a"}, "")[0]), ErrorCode::validation_failed);
  for (std::size_t more = 1; more < kIndividualLabelsMax; ++more) {
    EXPECT_TRUE(population_.label(Ids{"a"}, std::to_string(more))[0]);
  }
  EXPECT_EQ(code_of(population_.label(Ids{"a"}, "one more")[0]), ErrorCode::limit_exceeded);
  EXPECT_TRUE(population_.label(Ids{"a"}, "7")[0]);

  EXPECT_TRUE(population_.unlabel(Ids{"b"}, "x y \"z\" 🧫")[0]);
  EXPECT_THAT(population_.find("b")->labels, IsEmpty());
}

// G02
TEST_P(PopulationTest, AWalkNamesASharedGrandparentOnce) {
  add({individual("grandparent"), individual("left", {"grandparent"}), individual("right", {"grandparent"}),
       individual("grandchild", {"left", "right"})});
  const auto walk = population_.lineage("grandchild");

  ASSERT_TRUE(walk);
  Ids ids;
  std::vector<std::uint64_t> distances;
  for (const Relative& relative : *walk) {
    ids.push_back(relative.individual.id);
    distances.push_back(relative.distance);
  }
  EXPECT_THAT(ids, ElementsAre("grandchild", "left", "right", "grandparent"));
  EXPECT_THAT(distances, ElementsAre(0, 1, 1, 2));
}

TEST_P(PopulationTest, DescendantsAreFoundFromTheRoot) {
  add({individual("a"), individual("b", {"a"}), individual("c", {"a"}), individual("d", {"b", "c"}), individual("e")});
  const auto ids = [](const auto& walk) {
    Ids all;
    for (const Relative& relative : *walk) all.push_back(relative.individual.id);
    return all;
  };
  EXPECT_THAT(ids(population_.descendants("a")), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(ids(population_.descendants("a", {.distance_max = 1})), ElementsAre("a", "b", "c"));
  EXPECT_EQ(code_of(population_.descendants("a", {.individuals_max = 2})), ErrorCode::limit_exceeded);
  EXPECT_EQ(code_of(population_.lineage("none")), ErrorCode::not_found);
}

TEST_P(PopulationTest, ARemovedAncestorIsKnownById) {
  add({individual("a"), individual("b", {"a"}), individual("c", {"b"})});
  EXPECT_TRUE(population_.remove(Ids{"b"})[0]);

  const auto walk = population_.lineage("c");
  ASSERT_THAT(*walk, SizeIs(2));
  EXPECT_EQ((*walk)[1].individual.id, "b");
  EXPECT_TRUE((*walk)[1].removed);
  EXPECT_THAT(*population_.descendants("a"), SizeIs(1));
}

TEST_P(PopulationTest, TheNearestCommonAncestorIsFound) {
  add({individual("old"), individual("a", {"old"}), individual("b", {"a"}), individual("c", {"a", "old"}),
       individual("alone")});
  EXPECT_EQ((*population_.common_ancestor("b", "c"))->id, "a");
  EXPECT_EQ((*population_.common_ancestor("b", "a"))->id, "a");
  EXPECT_EQ((*population_.common_ancestor("b", "b"))->id, "b");
  EXPECT_FALSE(*population_.common_ancestor("b", "alone"));
}

TEST_P(PopulationTest, OldGenerationsAreRemovedUnlessKept) {
  std::vector<Individual> all;
  for (std::uint64_t generation = 1; generation <= 10; ++generation) {
    all.push_back(individual("g" + std::to_string(generation), {}, generation));
    all.push_back(individual("kept" + std::to_string(generation), {}, generation));
  }
  all.push_back(individual("without"));
  add(all);
  Ids kept;
  for (int generation = 1; generation <= 10; ++generation) kept.push_back("kept" + std::to_string(generation));
  (void)population_.keep(kept);
  (void)population_.release(Ids{"kept2"});

  EXPECT_EQ(*population_.remove_generations(3), 8);
  Ids left = {"kept1"};
  for (int generation = 3; generation <= 7; ++generation) left.push_back("kept" + std::to_string(generation));
  for (int generation = 8; generation <= 10; ++generation) {
    left.push_back("g" + std::to_string(generation));
    left.push_back("kept" + std::to_string(generation));
  }
  left.emplace_back("without");
  EXPECT_EQ(ids_of(population_.list()->individuals), left);
  EXPECT_EQ(*population_.remove_generations(100), 0);
}

TEST_P(PopulationTest, PopulationsHaveNamesAndTheirOwnIndividuals) {
  Population other = *populations_.population("other");
  add({individual("a"), individual("b")});
  EXPECT_TRUE(other.add(individual("a", {}, 5)));

  const auto names = [&] {
    std::map<std::string, std::uint64_t> all;
    const auto summaries = populations_.list();
    for (const PopulationSummary& summary : *summaries) all[summary.name] = summary.individuals;
    return all;
  };
  EXPECT_EQ(names(), (std::map<std::string, std::uint64_t>{{"main", 2}, {"other", 1}}));
  EXPECT_EQ(other.find("a")->generation, 5);
  EXPECT_FALSE(population_.find("a")->generation);
  EXPECT_TRUE(populations_.remove("main"));
  EXPECT_EQ(names(), (std::map<std::string, std::uint64_t>{{"other", 1}}));
  EXPECT_EQ(code_of(populations_.remove("main")), ErrorCode::not_found);
  EXPECT_EQ(code_of(populations_.population("")), ErrorCode::validation_failed);
  EXPECT_FALSE((*populations_.population("third")).add(individual("")));
  EXPECT_EQ(names(), (std::map<std::string, std::uint64_t>{{"other", 1}}));
}

TEST_P(PopulationTest, HoldsNoMoreIndividualsThanItMay) {
  TestFile small("small");
  auto populations = GetParam() == Store::memory ? Populations::in_memory(2)
                                                 : *Populations::open(small.path(), {.individuals_max = 2});
  Population population = *populations.population("main");
  const auto rows = population.add(std::vector{individual("a"), individual("b"), individual("c")});
  EXPECT_TRUE(rows[1]);
  EXPECT_EQ(code_of(rows[2]), ErrorCode::limit_exceeded);
  for (const char* ending : {"-wal", "-shm", "-writer"}) std::remove((small.path() + ending).c_str());
}

TEST_P(PopulationTest, BothStoresAnswerTheSame) {
  // A random history, carried out in this store and in memory.
  Population model = *Populations::in_memory().population("main");
  std::uint64_t state = 1;
  const auto random = [&](std::uint64_t below) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (state >> 33) % below;
  };
  const auto both = [&](const auto& verb) {
    const auto here = verb(population_);
    const auto there = verb(model);
    ASSERT_EQ(here.has_value(), there.has_value());
    if (!here) {
      EXPECT_EQ(here.error(), there.error());
    }
  };
  for (int step = 0; step < 400; ++step) {
    const std::string id = std::to_string(random(60));
    Individual one = individual(id, {}, random(6));
    one.created = PopulationTime(std::chrono::nanoseconds(step + 1));
    if (random(2) == 0) one.parents = {std::to_string(random(60))};
    if (random(3) == 0) one.labels = {"x", std::to_string(random(3))};
    const Fitness fitness{.score = random(5) == 0 ? kNan : static_cast<double>(random(8)),
                          .components = {{"n", static_cast<double>(step)}},
                          .evaluated_at = one.created};
    const Ids ids = {id};
    const std::string label = std::to_string(random(3));
    const bool removes = random(4) == 0;
    switch (random(7)) {
      case 0:
      case 1: both([&](Population& of) { return of.add(one); }); break;
      case 2: both([&](Population& of) { return of.record_fitness(id, fitness); }); break;
      case 3: both([&](Population& of) { return of.keep(ids)[0]; }); break;
      case 4: both([&](Population& of) { return of.label(ids, label)[0]; }); break;
      case 5: both([&](Population& of) { return of.unlabel(ids, label)[0]; }); break;
      case 6: both([&](Population& of) { return removes ? of.remove(ids)[0] : of.release(ids)[0]; }); break;
    }
  }
  const auto without_numbers = [](PopulationPage page) {
    for (Individual& one : page.individuals) one.number = 0;
    return page.individuals;
  };
  for (const PopulationOrder order : {PopulationOrder::creation, PopulationOrder::rank}) {
    const PopulationQuery query{.order = order, .limit = 1'000};
    const auto here = without_numbers(*population_.list(query));
    const auto there = without_numbers(*model.list(query));
    EXPECT_EQ(ids_of(here), ids_of(there));
    EXPECT_TRUE(here == there) << "they differ in something else than their ids";
  }
  EXPECT_GT(population_.list()->total, 10);
}

}  // namespace
}  // namespace petri
