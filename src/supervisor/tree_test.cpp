#include "petri/tree.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using namespace std::chrono_literals;
using testing::EndsWith;
using testing::HasSubstr;

const std::vector<std::string> kModules = {"kv", "w"};

SupervisorSpec good_tree() {
  return {.strategy = Strategy::rest_for_one,
          .intensity = 3,
          .period = 10s,
          .children = {ChildSpec{.id = "store",
                                 .module = "kv",
                                 .restart = RestartType::transient,
                                 .shutdown = Shutdown::brutal(),
                                 .input = "text"},
                       SupervisorSpec{.id = "pool",
                                      .strategy = Strategy::simple_one_for_one,
                                      .restart = RestartType::temporary,
                                      .shutdown = Shutdown::after(1500ms),
                                      .children = {ChildSpec{.id = "worker", .module = "w", .input = "\xFF\x01"}}}}};
}

std::vector<std::string> fields_of(const Error& error) {
  std::vector<std::string> fields;
  for (const ErrorDetail& detail : error.details) fields.push_back(detail.value);
  return fields;
}

TEST(Names, AreReadBackAsTheyAreWritten) {
  for (const Strategy strategy : all_strategies()) EXPECT_EQ(strategy_named(name_of(strategy)), strategy);
  for (const RestartType type : all_restart_types()) EXPECT_EQ(restart_type_named(name_of(type)), type);
  EXPECT_FALSE(strategy_named("one_for_some"));
}

TEST(ShutdownText, IsReadBackAsItIsWritten) {
  for (const Shutdown shutdown : {Shutdown(), Shutdown::brutal(), Shutdown::infinity(), Shutdown::after(250ms)}) {
    EXPECT_EQ(Shutdown::parse(shutdown.to_text()), shutdown) << shutdown.to_text();
  }
  EXPECT_FALSE(Shutdown::parse("soon"));
}

TEST(TreeJson, IsReadBackAsTheSameTree) {
  EXPECT_EQ(parse_tree(to_json(good_tree())), good_tree());
  EXPECT_EQ(parse_tree(to_json({})), SupervisorSpec{});
}

TEST(TreeJson, LeavesDefaultsOut) {
  EXPECT_EQ(to_json({.children = {ChildSpec{.id = "a", .module = "m"}}}), R"({"children":[{"id":"a","module":"m"}]})");
}

TEST(TreeJson, ReportsAllProblemsAtOnce) {
  const auto tree =
      parse_tree(R"({"strategy": "one_for_some", "intensity": -1, "period": "1.5s", "colour": 1, "children": [
      {"id": 7, "restart": "often", "shutdown": "soon", "input": "a", "input_hex": "0g"},
      {"children": [3, {"id": "x", "module": "m", "strategy": "one_for_all"}]}, "text"]})");
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(fields_of(tree.error()),
              testing::UnorderedElementsAre(
                  "colour", "strategy", "intensity", "period", "children[0].id", "children[0].module",
                  "children[0].restart", "children[0].shutdown", "children[0].input_hex", "children[0].input_hex",
                  "children[1].id", "children[1].children[0]", "children[1].children[1].strategy", "children[2]"));
}

TEST(TreeJson, SaysInWordsWhatAFieldMayBe) {
  const auto tree = parse_tree(R"({"strategy": "all", "childs": []})");
  EXPECT_EQ(tree.error().message,
            "the tree cannot be used: childs is no field here (there are strategy, intensity, period, children); "
            "strategy is \"all\" but can be one_for_one, one_for_all, rest_for_one, simple_one_for_one");
}

TEST(TreeJson, HasItsChildrenInAList) {
  EXPECT_EQ(parse_tree(R"({"children": {"id": "a", "module": "m"}})").error().message,
            "the tree cannot be used: children is not a list");
}

TEST(TreeJson, ThatIsNoneIsAParseFailure) {
  EXPECT_EQ(parse_tree("{").error().code, ErrorCode::parse_failed);
  EXPECT_EQ(parse_tree("[]").error().code, ErrorCode::validation_failed);
}

TEST(TreeJson, IsReadToABoundedDepth) {
  const auto nested = [](int levels) {
    std::string text;
    for (int depth = 0; depth < levels; ++depth) text += R"({"id":"n","children":[)";
    for (int depth = 0; depth < levels; ++depth) text += "]}";
    return text.replace(0, text.find('['), R"({"children":)");
  };
  EXPECT_THAT(parse_tree(nested(20)).error().message, HasSubstr("deeper than 16 supervisors"));
  EXPECT_EQ(parse_tree(nested(10'000)).error().message,
            "the tree has more than 64 lists and objects within one another");
}

TEST(ValidateTree, AcceptsAGoodOne) { EXPECT_TRUE(validate(good_tree(), kModules)); }

TEST(ValidateTree, ReportsAllProblemsAtOnce) {
  const SupervisorSpec tree{.intensity = 1'000'001,
                            .period = 0s,
                            .children = {ChildSpec{.id = "../x", .module = "kv"},
                                         ChildSpec{.id = "a", .module = "nobody", .shutdown = Shutdown::after(-1ns)},
                                         ChildSpec{.id = "a", .module = "w"},
                                         SupervisorSpec{.id = "s", .strategy = Strategy::simple_one_for_one},
                                         SupervisorSpec{.id = "", .children = {ChildSpec{.id = "a", .module = "w"}}}}};
  const auto result = validate(tree, kModules);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::validation_failed);
  EXPECT_THAT(fields_of(result.error()),
              testing::ElementsAre("intensity", "period", "children[0].id", "children[1].shutdown",
                                   "children[1].module", "children[2].id", "children[3]", "children[4].id"));
  EXPECT_THAT(result.error().message, HasSubstr("children[1].module is \"nobody\", and the sandbox has no module"));
}

TEST(ValidateTree, BoundsDepth) {
  SupervisorSpec tree{.id = "n"};
  for (std::size_t depth = 1; depth < kTreeDepthMax; ++depth) tree = {.id = "n", .children = {tree}};
  EXPECT_TRUE(validate(tree, kModules));
  EXPECT_FALSE(validate({.children = {tree}}, kModules));
}

TEST(ValidateTree, OnlyCountsComplaintsBeyondTheFirstHundred) {
  SupervisorSpec tree;
  for (int index = 0; index < 150; ++index) tree.children.emplace_back(ChildSpec{.id = "", .module = "w"});
  const auto result = validate(tree, kModules);
  EXPECT_EQ(result.error().details.size(), kTreeComplaintsMax);
  EXPECT_THAT(result.error().message, EndsWith("; and 199 more"));
}

}  // namespace
}  // namespace petri
