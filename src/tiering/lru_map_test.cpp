#include "tiering/lru_map.h"

#include <gtest/gtest.h>

#include <string>

namespace petri {
namespace {

using Map = LruMap<std::string, int, std::hash<std::string>>;

TEST(LruMap, ForgetsWhatWasNotAskedForTheLongest) {
  Map map(2);
  map.insert("a", 1);
  map.insert("b", 2);
  ASSERT_NE(map.find("a"), nullptr);
  map.insert("c", 3);
  EXPECT_EQ(map.size(), 2U);
  EXPECT_EQ(map.find("b"), nullptr);
  EXPECT_EQ(*map.find("a"), 1);
  EXPECT_EQ(*map.find("c"), 3);
}

TEST(LruMap, ReplacesAndErases) {
  Map map(2);
  map.insert("a", 1);
  map.insert("a", 2);
  EXPECT_EQ(map.size(), 1U);
  EXPECT_EQ(*map.find("a"), 2);
  map.erase("a");
  map.erase("b");
  EXPECT_EQ(map.size(), 0U);
  map.insert("b", 3);
  EXPECT_EQ(*map.find("b"), 3);
}

TEST(LruMap, HoldsNothingWhenItMayNot) {
  Map map(0);
  map.insert("a", 1);
  EXPECT_EQ(map.find("a"), nullptr);
}

}  // namespace
}  // namespace petri
