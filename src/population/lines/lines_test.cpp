// Populations as JSON Lines and as a graph: out and in again, and files that may come from anywhere.
#include <gmock/gmock.h>

#include <limits>

#include "base/files/test_file.h"
#include "petri/population.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Individual plain(std::string id, std::vector<std::string> parents = {}) {
  return {.id = std::move(id), .parents = std::move(parents)};
}

class LinesTest : public ::testing::Test {
 protected:
  static Population empty(std::uint64_t individuals_max = 1'000) {
    return *Populations::in_memory(individuals_max).population("main");
  }
  // Imports these lines between a first and a last one; "id code" of every refused line.
  std::vector<std::string> refused(Population& into, const std::vector<std::string>& lines,
                                   const ImportOptions& options = {}) {
    std::string text = R"({"petri_population":1,"name":"main"})"
                       "\n";
    for (const std::string& line : lines) text += line + "\n";
    file_.write(text + "{\"individuals\":" + std::to_string(lines.size()) + "}\n");
    const auto report = into.import_json_lines(file_.path(), options);
    EXPECT_TRUE(report) << report.error().message;
    std::vector<std::string> all;
    for (const RefusedLine& line : report->refusals) {
      all.push_back(std::to_string(line.line) + " " + std::string(name_of(line.error.code)));
    }
    EXPECT_EQ(report->refused, all.size());
    EXPECT_EQ(report->imported + all.size(), lines.size());
    return all;
  }

  TestFile file_;
};

TEST_F(LinesTest, WhatIsExportedIsImportedEqual) {
  Population from = empty();
  Individual odd = plain("child \"of\" \\ 🧫", {"a"});
  odd.generation = 7;
  odd.mutation = "</script>";
  odd.labels = {"\"", "a,b", "\\n"};
  odd.kept = true;
  odd.fitness = Fitness{.score = -std::numeric_limits<double>::infinity(),
                        .components = {{"n", std::numeric_limits<double>::quiet_NaN()}, {"m", 0.1}}};
  for (const auto& added : from.add(std::vector{plain("a"), plain("gone"), plain("b", {"gone"}), odd}))
    EXPECT_TRUE(added);
  (void)from.remove(std::vector<std::string>{"gone"});
  ASSERT_TRUE(from.export_json_lines(file_.path()));

  Population to = empty();
  const auto report = to.import_json_lines(file_.path(), {.missing_parents = true});
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->imported, 3);
  EXPECT_THAT(report->refusals, IsEmpty());
  auto expected = from.list()->individuals;
  auto found = to.list()->individuals;
  for (auto* all : {&expected, &found}) {
    for (Individual& one : *all) one.number = 0;
    std::ranges::sort(*all, {}, &Individual::id);
  }
  EXPECT_EQ(found, expected);
}

TEST_F(LinesTest, LinesThatAreNoIndividualsAreRefusedAndTheOthersImported) {
  Population into = empty();
  EXPECT_THAT(
      refused(into,
              {R"({"id":"a"})", "not JSON", "[1]", R"({"id":"a"})", R"({"parents":[]})", R"({"id":"b","unknown":1})",
               R"({"id":"c","fitness":{"score":"high"}})", R"({"id":"d","fitness":{"score":1e400}})",
               R"({"id":"e","fitness":{}})", R"({"id":"","labels":["x"]})", R"({"id":"f","labels":["x","x"]})",
               R"({"id":"g","generation":-1})", R"({"id":"h","fitness":{"score":"nan"}})", R"({"id":7})", "\"\xFF\""}),
      ElementsAre("3 parse_failed", "4 validation_failed", "6 validation_failed", "7 validation_failed",
                  "8 validation_failed", "9 parse_failed", "10 validation_failed", "11 validation_failed",
                  "12 validation_failed", "13 validation_failed", "15 validation_failed", "16 parse_failed",
                  "5 already_exists"));
  EXPECT_EQ(into.list()->total, 2);
}

TEST_F(LinesTest, RingsOfParentsAndParentsThatAreNowhereAreRefused) {
  Population into = empty();
  EXPECT_THAT(
      refused(into, {R"({"id":"a","parents":["c"]})", R"({"id":"b","parents":["a"]})", R"({"id":"c","parents":["b"]})",
                     R"({"id":"below","parents":["a"]})", R"({"id":"orphan","parents":["nobody"]})",
                     R"({"id":"self","parents":["self"]})", R"({"id":"fine"})"}),
      ElementsAre("7 circular_dependency", "2 circular_dependency", "3 circular_dependency", "4 circular_dependency",
                  "5 not_found", "6 not_found"));
  EXPECT_EQ(into.list()->total, 1);
}

TEST_F(LinesTest, ChildrenMayComeBeforeTheirParents) {
  Population into = empty();
  EXPECT_THAT(refused(into, {R"({"id":"c","parents":["b","a"]})", R"({"id":"b","parents":["a"]})", R"({"id":"a"})"}),
              IsEmpty());
  EXPECT_EQ(into.find("c")->depth, 2);
  Population small = empty();
  EXPECT_THAT(refused(small, {R"({"id":"c","parents":["a"]})", R"({"id":"b","parents":["a"]})", R"({"id":"a"})"},
                      {.waiting_max = 1}),
              ElementsAre("3 too_large"));
}

TEST_F(LinesTest, APopulationThatIsFullRefusesTheRest) {
  Population into = empty(1);
  EXPECT_THAT(refused(into, {R"({"id":"a"})", R"({"id":"b"})"}), ElementsAre("3 limit_exceeded"));
}

TEST_F(LinesTest, AFileThatWasCutShortSaysSo) {
  Population from = empty();
  for (const auto& added : from.add(std::vector{plain("a"), plain("b")})) EXPECT_TRUE(added);
  ASSERT_TRUE(from.export_json_lines(file_.path()));
  const std::string whole = file_.read();
  for (const std::size_t bytes : {whole.size() - 1, whole.size() - 20, whole.find("\"b\"")}) {
    file_.write(whole.substr(0, bytes));
    const auto report = empty().import_json_lines(file_.path());
    ASSERT_TRUE(report) << bytes;
    ASSERT_THAT(report->refusals, SizeIs(1)) << bytes;
    EXPECT_EQ(report->refusals[0].error.code, ErrorCode::parse_failed);
    EXPECT_GE(report->imported, 1);
  }
}

TEST_F(LinesTest, AnotherKindOfFileIsRefused) {
  const auto code = [&](std::string_view text) {
    file_.write(text);
    const auto report = empty().import_json_lines(file_.path());
    return report ? "imported" : name_of(report.error().code);
  };
  EXPECT_EQ(code(""), "parse_failed");
  EXPECT_EQ(code("{\"petri_records\":2}\n"), "parse_failed");
  EXPECT_EQ(code(std::string(100'000, 'x')), "parse_failed");
  EXPECT_EQ(code("{\"petri_population\":2}\n"), "rejected");
  EXPECT_EQ(empty().import_json_lines("/nowhere/at/all").error().code, ErrorCode::io_error);
}

TEST_F(LinesTest, AGraphHasAnEdgeFromEachParent) {
  Population population = empty();
  Individual child = plain("b\"; evil [", {"a"});
  child.fitness = Fitness{.score = 1.5};
  for (const auto& added : population.add(std::vector{plain("a"), child})) EXPECT_TRUE(added);
  const auto dot = population.to_dot();
  ASSERT_TRUE(dot);
  EXPECT_THAT(*dot, HasSubstr("digraph \"main\" {"));
  EXPECT_THAT(*dot, HasSubstr(R"(  "b\"; evil [" [label="b\"; evil [\n1.5"];)"));
  EXPECT_THAT(*dot, HasSubstr(R"(  "a" -> "b\"; evil [";)"));
  EXPECT_THAT(*population.to_dot({.query = {.limit = 1}}), ::testing::Not(HasSubstr("->")));
}

}  // namespace
}  // namespace petri
