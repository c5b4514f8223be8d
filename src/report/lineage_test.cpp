#include "report/lineage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "report/page/page_parts.h"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

ArtifactId id(std::uint8_t number) { return {.bytes = {number}}; }

struct Row {
  std::uint8_t artifact = 0;
  double score = 0;
  std::vector<std::uint8_t> parents;
  std::optional<std::uint64_t> generation = std::nullopt;
};

// The lineage of the last row; the rows are numbered from 0.
Lineage lineage_of(const std::vector<Row>& rows, std::size_t ancestors_max = kAncestorsMax) {
  LineageSearch search(id(rows.back().artifact), rows.size() - 1, ancestors_max);
  for (std::size_t row = rows.size(); row-- > 0;) {
    Origin origin{.generation = rows[row].generation};
    for (const std::uint8_t parent : rows[row].parents) origin.parents.push_back(id(parent));
    search.add({.row = row, .artifact = id(rows[row].artifact), .score = rows[row].score}, origin);
  }
  return std::move(search).finish(BestScore::smallest);
}

std::vector<std::size_t> rows_on_line(const Lineage& lineage) {
  std::vector<std::size_t> rows;
  for (const std::size_t place : lineage.line) rows.push_back(lineage.ancestors[place].row);
  return rows;
}

TEST(Lineage, FollowsTheBetterParent) {
  const Lineage lineage = lineage_of({{1, 9, {}}, {2, 5, {}}, {3, 7, {}}, {4, 4, {1, 2}}, {5, 1, {3, 4}}});
  EXPECT_THAT(rows_on_line(lineage), ElementsAre(4, 3, 1));
  EXPECT_EQ(lineage.ancestors.size(), 5U);
  EXPECT_FALSE(lineage.cut);
}

TEST(Lineage, FollowsAParentWithAScoreBeforeOneWithout) {
  EXPECT_THAT(rows_on_line(lineage_of({{1, 9, {}}, {2, NAN, {}}, {3, 1, {2, 1}}})), ElementsAre(2, 0));
}

TEST(Lineage, NamesTheLatestRecordOfAParent) {
  EXPECT_THAT(rows_on_line(lineage_of({{1, 9, {}}, {1, 9, {}}, {2, 1, {1}}, {1, 9, {}}, {3, 0, {2}}})),
              ElementsAre(4, 2, 1));
}

TEST(Lineage, CountsACarriedOverEliteOnce) {
  EXPECT_THAT(rows_on_line(lineage_of({{1, 9, {}}, {2, 5, {1}}, {2, 5, {2}}, {2, 5, {2}}, {3, 1, {2}}})),
              ElementsAre(4, 1, 0));
}

TEST(Lineage, TakesNoSiblingForAParent) {
  EXPECT_THAT(rows_on_line(lineage_of({{1, 9, {}, 0}, {2, 5, {1}, 1}, {2, 5, {1}, 2}, {3, 1, {2}, 2}})),
              ElementsAre(3, 1, 0));
}

TEST(Lineage, SharesAnAncestorOfTwo) {
  const Lineage lineage = lineage_of({{1, 9, {}}, {2, 5, {1}}, {3, 7, {1}}, {4, 0, {2, 3}}});
  EXPECT_EQ(lineage.ancestors.size(), 4U);
  EXPECT_THAT(rows_on_line(lineage), ElementsAre(3, 1, 0));
}

TEST(Lineage, KnowsParentsThatAreNotInTheFile) {
  const Lineage lineage = lineage_of({{2, 5, {}}, {4, 0, {2, 77}}});
  EXPECT_THAT(lineage.ancestors.front().unknown_parents, ElementsAre(id(77)));
  EXPECT_THAT(lineage_list(lineage), HasSubstr("one parent not in this file"));
}

TEST(Lineage, KeepsTheLatestAncestorsWhenThereAreTooMany) {
  std::vector<Row> rows{{0, 100, {}}};
  for (std::uint8_t row = 1; row < 100; ++row) rows.push_back({row, 100.0 - row, {static_cast<std::uint8_t>(row - 1)}});
  const Lineage lineage = lineage_of(rows, 10);
  EXPECT_EQ(lineage.ancestors.size(), 10U);
  EXPECT_EQ(rows_on_line(lineage).back(), 90U);
  EXPECT_TRUE(lineage.cut);
  EXPECT_THAT(lineage_list(lineage), HasSubstr("more than 9 ancestors"));
}

TEST(LineageList, ShowsOfALongLineWhereTheScoreChanges) {
  std::vector<Row> rows;
  for (std::uint8_t row = 0; row < 60; ++row) {
    const int steps = row / 20;
    rows.push_back(
        {row, 10.0 - steps, row == 0 ? std::vector<std::uint8_t>{} : std::vector{static_cast<std::uint8_t>(row - 1)}});
  }
  const Lineage lineage = lineage_of(rows);
  EXPECT_EQ(lineage.line.size(), 60U);
  EXPECT_THAT(steps_to_show(lineage, 16), ElementsAre(0, 19, 39, 59));
  EXPECT_THAT(steps_to_show(lineage, 3), ElementsAre(0, 39, 59));
  EXPECT_EQ(steps_to_show(lineage, 60).size(), 60U);
  EXPECT_THAT(lineage_list(lineage), HasSubstr("18 more"));
}

TEST(LineageList, IsOnlyForThoseThatHaveParents) {
  EXPECT_FALSE(has_parents({}));
  EXPECT_FALSE(has_parents(lineage_of({{1, 1, {}}})));
}

}  // namespace
}  // namespace petri
