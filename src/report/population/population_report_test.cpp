// A population as a page: the layers and their scores, what is drawn, and the page itself.
#include "petri/report/population_report.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "base/files/test_file.h"
#include "report/population/layers.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

Population empty_population() { return *Populations::in_memory().population("curves"); }

Individual scored(std::string id, std::uint64_t generation, double score, std::vector<std::string> parents = {}) {
  return {
      .id = std::move(id), .parents = std::move(parents), .generation = generation, .fitness = Fitness{.score = score}};
}

// Two generations, and a third whose best descends from the worst of the first.
Population three_generations() {
  Population population = empty_population();
  const std::vector<Individual> all{scored("a", 0, 1),
                                    scored("b", 0, 2),
                                    scored("c", 0, 3),
                                    scored("d", 1, 4, {"a", "b"}),
                                    scored("e", 1, std::numeric_limits<double>::quiet_NaN(), {"c"}),
                                    scored("f", 2, 9, {"e", "d"}),
                                    {.id = "g", .parents = {"c"}, .generation = 2}};
  for (const auto& row : population.add(all)) EXPECT_TRUE(row) << row.error();
  return population;
}

std::vector<std::string> ids(const std::vector<DrawnIndividual>& drawn) {
  std::vector<std::string> all;
  for (const DrawnIndividual& one : drawn) all.push_back(one.individual.id + (one.ancestor ? "*" : ""));
  return all;
}

TEST(LayerScores, AreTheBestAndTheQuarters) {
  std::vector<double> scores{5, 1, 3, 2, 4};
  const LayerScores five = layer_scores(7, scores);
  EXPECT_EQ(five.layer, 7);
  EXPECT_EQ(five.best, 5);
  EXPECT_EQ(five.upper, 4);
  EXPECT_EQ(five.median, 3);
  EXPECT_EQ(five.lower, 2);
  std::vector<double> two{10, 20};
  EXPECT_EQ(layer_scores(0, two).median, 15);
  std::vector<double> one{4};
  EXPECT_EQ(layer_scores(0, one).lower, 4);
}

TEST(PopulationLayers, AreGenerationsAndLeaveOutWhatIsNoNumber) {
  const Layers layers = *read_layers(three_generations());
  EXPECT_FALSE(layers.by_depth);
  EXPECT_THAT(layers.all, ElementsAre(0, 1, 2));
  EXPECT_EQ(layers.individuals, 7);
  EXPECT_EQ(layers.evaluated, 5);
  ASSERT_EQ(layers.scores.size(), 3);
  EXPECT_EQ(layers.scores[0].median, 2);
  EXPECT_EQ(layers.scores[1].best, 4);
  EXPECT_EQ(layers.scores[1].lower, 4);
}

TEST(PopulationLayers, AreDepthsWhereNobodyHasAGeneration) {
  Population population = empty_population();
  ASSERT_TRUE(population.add(Individual{.id = "a", .fitness = Fitness{.score = 1}}));
  ASSERT_TRUE(population.add(Individual{.id = "b", .parents = {"a"}, .fitness = Fitness{.score = 2}}));
  const Layers layers = *read_layers(population);
  EXPECT_TRUE(layers.by_depth);
  EXPECT_THAT(layers.all, ElementsAre(0, 1));
}

TEST(PopulationDrawing, HasTheLineOfTheBestOverTheFitterParent) {
  const Population population = three_generations();
  const Drawing drawing = *choose_drawn(population, *read_layers(population), 100);
  EXPECT_THAT(drawing.line, ElementsAre("f", "d", "b"));
  EXPECT_FALSE(drawing.cut);
  EXPECT_THAT(ids(drawing.individuals), ElementsAre("f*", "d*", "b*", "e*", "c*", "a*", "g"));
}

TEST(PopulationDrawing, KeepsTheLineWhenThereIsNoRoomForMore) {
  const Population population = three_generations();
  const Drawing drawing = *choose_drawn(population, *read_layers(population), 3);
  EXPECT_THAT(ids(drawing.individuals), ElementsAre("f*", "d*", "b*"));
  EXPECT_TRUE(drawing.cut);
}

TEST(PopulationReport, HasChartGraphWithTheLineOfTheBestAndTable) {
  const TestFile page;
  const auto facts = write_population_report(three_generations(), page.path());
  ASSERT_TRUE(facts) << facts.error();
  EXPECT_EQ(facts->best, "f");
  EXPECT_EQ(facts->best_score, 9);
  EXPECT_EQ(facts->layers, 3);
  EXPECT_EQ(facts->drawn, 7);
  const std::string text = page.read();
  EXPECT_EQ(text.size(), facts->page_bytes);
  for (const char* part :
       {"<path class=\"quarters\"", "<path class=\"median\"", "<path class=\"best\"", "<path class=\"edge line\" d=\"M",
        "id=\"zoom800\"", "f, score 9, generation 2", "Fitness over generations"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
  EXPECT_THAT(text, Not(HasSubstr("<script")));
}

TEST(PopulationReport, EscapesWhatAnIndividualSaysOfItself) {
  Population population = empty_population();
  Individual hostile = scored("<script>alert(1)</script>", 0, 1);
  hostile.mutation = "\"><img src=x onerror=alert(1)>";
  hostile.labels = {"</td>"};
  ASSERT_TRUE(population.add(hostile));
  const TestFile page;
  ASSERT_TRUE(write_population_report(population, page.path()));
  const std::string text = page.read();
  EXPECT_THAT(text, Not(HasSubstr("<script")));
  EXPECT_THAT(text, Not(HasSubstr("<img")));
}

TEST(PopulationReport, IsMadeOfScoresThatCannotBeDrawn) {
  Population population = empty_population();
  ASSERT_TRUE(population.add(scored("inf", 0, std::numeric_limits<double>::infinity())));
  ASSERT_TRUE(population.add(scored("huge", 0, -1e308)));
  ASSERT_TRUE(population.add(Individual{.id = "none"}));
  const TestFile page;
  const auto facts = write_population_report(population, page.path());
  ASSERT_TRUE(facts) << facts.error();
  EXPECT_EQ(facts->best, "inf");
  EXPECT_THAT(page.read(), HasSubstr("No individual has a score that can be drawn."));
}

TEST(PopulationReport, RefusesAnEmptyPopulationAndOptionsOutOfRange) {
  const TestFile page;
  EXPECT_EQ(write_population_report(empty_population(), page.path()).error().code, ErrorCode::validation_failed);
  EXPECT_THAT(write_population_report(three_generations(), page.path(), {.drawn_max = 0}).error().message,
              HasSubstr("a graph draws 1 to 5000 individuals, not 0"));
  EXPECT_THAT(write_population_report(three_generations(), page.path(), {.top = 1'001}).error().message,
              HasSubstr("1 to 1000 rows"));
  EXPECT_EQ(write_population_report(three_generations(), "/nowhere/at/all.html").error().code, ErrorCode::io_error);
}

}  // namespace
}  // namespace petri
