#include "modules/dependency_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// M25
TEST(DependencyOrder, PutsAModuleAfterThoseItImportsFrom) {
  EXPECT_THAT(*dependency_order({{"a", {"b"}}, {"b", {"c"}}, {"c", {}}}), ElementsAre("c", "b", "a"));
}

// M25
TEST(DependencyOrder, HasIndependentModulesOnceEachByName) {
  EXPECT_THAT(*dependency_order({{"z", {}}, {"a", {}}, {"m", {"z"}}}), ElementsAre("a", "z", "m"));
}

TEST(DependencyOrder, OfOneModuleIsOnlyWhatItNeeds) {
  const DependencyGraph graph{{"a", {"b"}}, {"b", {}}, {"c", {"b"}}};
  EXPECT_THAT(*dependency_order(graph, "a"), ElementsAre("b", "a"));
}

TEST(DependencyOrder, PassesOverNamesThatAreNobodys) {
  EXPECT_THAT(*dependency_order({{"a", {"nobody"}}}), ElementsAre("a"));
}

// M25: the ways through this many diamonds are 2^1000, the edges 4,000.
TEST(DependencyOrder, VisitsEachEdgeOfAThousandDiamondsOnce) {
  DependencyGraph graph;
  for (int level = 0; level < 1'000; ++level) {
    const std::string number = std::to_string(level), next = std::to_string(level + 1);
    graph["top" + number] = {"left" + number, "right" + number};
    graph["left" + number] = graph["right" + number] = {"top" + next};
  }
  graph["top1000"] = {};
  const auto order = dependency_order(graph, "top0");
  ASSERT_TRUE(order.has_value());
  EXPECT_EQ(order->size(), 3'001U);
  EXPECT_EQ(order->front(), "top1000");
  EXPECT_EQ(order->back(), "top0");
}

TEST(DependencyOrder, OfAChainLongerThanAStackIsFound) {
  DependencyGraph graph;
  for (int index = 0; index < 200'000; ++index) graph[std::to_string(index)] = {std::to_string(index + 1)};
  EXPECT_EQ(dependency_order(graph, "0")->size(), 200'000U);
}

class Rings : public testing::TestWithParam<std::pair<DependencyGraph, std::string>> {};

// M26
TEST_P(Rings, AreRefusedByName) {
  const auto& [graph, ring] = GetParam();
  const auto order = dependency_order(graph);
  ASSERT_FALSE(order.has_value());
  EXPECT_EQ(order.error().code, ErrorCode::circular_dependency);
  EXPECT_THAT(order.error().message, HasSubstr(ring));
  EXPECT_EQ(order.error().detail("ring"), ring);
}

INSTANTIATE_TEST_SUITE_P(
    OfOneTwoAndThree, Rings,
    testing::Values(std::pair(DependencyGraph{{"a", {"a"}}}, "a -> a"),
                    std::pair(DependencyGraph{{"a", {"b"}}, {"b", {"a"}}}, "a -> b -> a"),
                    std::pair(DependencyGraph{{"a", {"b"}}, {"b", {"c"}}, {"c", {"a"}}}, "a -> b -> c -> a"),
                    std::pair(DependencyGraph{{"a", {"b"}}, {"b", {"c"}}, {"c", {"b"}}}, "b -> c -> b")));

TEST(Dependents, AreThoseThatImportDirectlyOrThroughOthers) {
  const DependencyGraph graph{{"a", {"b"}}, {"b", {"c"}}, {"c", {}}, {"d", {"a", "c"}}, {"e", {}}};
  EXPECT_THAT(dependents_of(graph, {"b"}), ElementsAre("a", "d"));
  EXPECT_THAT(dependents_of(graph, {"c", "a"}), ElementsAre("b", "d"));
  EXPECT_THAT(dependents_of(graph, {"e"}), ElementsAre());
}

}  // namespace
}  // namespace petri
