#include "evolve/packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evolve/packing_instances.h"

namespace evolve {
namespace {

TEST(Packing, ByHandTakesAsManyBinsAsOneCounts) {
  const Items items{5, 7, 3, 5};

  EXPECT_EQ(first_fit(items, 10), 3U);  // 5+3, 7, 5
  EXPECT_EQ(best_fit(items, 10), 2U);   // 5+5, 7+3
  EXPECT_EQ(l1_bound(items, 10), 2U);
}

TEST(Packing, NeverNeedsFewerBinsThanTheBound) {
  const Items items{6, 5, 4, 2, 2, 1};

  EXPECT_EQ(first_fit(items, 10), 2U);  // 6+4, 5+2+2+1
  EXPECT_EQ(best_fit(items, 10), 2U);
  EXPECT_EQ(l1_bound(items, 10), 2U);
  EXPECT_EQ(l1_bound({1}, 10), 1U);
  EXPECT_EQ(l1_bound({10, 10, 1}, 10), 3U);
}

TEST(Packing, IsMeasuredInPercentAboveTheBound) {
  EXPECT_DOUBLE_EQ(excess_percent(104, 100), 4);
  EXPECT_DOUBLE_EQ(excess_percent(100, 100), 0);
}

// Golden numbers, from a program of the same rules in another language.
TEST(Packing, OfFormulaInstancesTakesAsManyBinsAsElsewhere) {
  using testing::ElementsAre;
  const auto bins_of = [](ItemSizes sizes, const auto& rule) {
    Random random(1);
    const Instances instances = make_instances({.sizes = sizes, .count = 5, .items = 500}, random);
    std::vector<std::size_t> bins;
    for (const Items& items : instances.all) bins.push_back(rule(items, instances.capacity));
    return bins;
  };
  const auto bound = [](const Items& items, std::uint16_t capacity) { return l1_bound(items, capacity); };

  EXPECT_THAT(bins_of(ItemSizes::weibull, bound), ElementsAre(198, 196, 201, 198, 203));
  EXPECT_THAT(bins_of(ItemSizes::weibull, first_fit), ElementsAre(211, 206, 213, 210, 216));
  EXPECT_THAT(bins_of(ItemSizes::weibull, best_fit), ElementsAre(209, 206, 211, 208, 216));
  EXPECT_THAT(bins_of(ItemSizes::uniform, bound), ElementsAre(201, 202, 196, 202, 206));
  EXPECT_THAT(bins_of(ItemSizes::uniform, first_fit), ElementsAre(213, 213, 207, 213, 216));
  EXPECT_THAT(bins_of(ItemSizes::uniform, best_fit), ElementsAre(212, 213, 205, 212, 215));
}

TEST(PackingInstances, FollowTheirFormulas) {
  Random random(1);
  const Instances weibull = make_instances({.sizes = ItemSizes::weibull, .count = 4, .items = 5'000}, random);
  const Instances uniform = make_instances({.sizes = ItemSizes::uniform, .count = 4, .items = 5'000}, random);

  EXPECT_EQ(weibull.capacity, 100);
  EXPECT_EQ(uniform.capacity, 150);
  double weibull_sum = 0;
  double uniform_sum = 0;
  for (const Items& items : weibull.all) {
    for (const auto item : items) weibull_sum += item;
  }
  for (const Items& items : uniform.all) {
    EXPECT_THAT(items, testing::Each(testing::AllOf(testing::Ge(20), testing::Le(100))));
    for (const auto item : items) uniform_sum += item;
  }
  EXPECT_NEAR(weibull_sum / 20'000, 45 * 0.89298, 0.5);  // scale times the gamma function of 4/3
  EXPECT_NEAR(uniform_sum / 20'000, 60, 1);
}

TEST(PackingInstances, AreReadFromAFile) {
  const auto instances = parse_instances(R"({"capacity": 10, "items": [[1, 2], [10]]})", "a.json");

  ASSERT_TRUE(instances) << instances.error().message;
  EXPECT_EQ(instances->capacity, 10);
  EXPECT_THAT(instances->all, testing::ElementsAre(Items{1, 2}, Items{10}));
}

TEST(PackingInstances, OfABadFileAreRefusedWithWhatIsWrong) {
  const auto complaint = [](std::string_view text) {
    const auto instances = parse_instances(text, "a.json");
    return instances ? std::string("none") : instances.error().message;
  };
  using testing::HasSubstr;

  EXPECT_THAT(complaint("nonsense"), HasSubstr("a.json: is not JSON"));
  EXPECT_THAT(complaint("[]"), HasSubstr("has no \"capacity\""));
  EXPECT_THAT(complaint(R"({"capacity": 0, "items": [[1]]})"), HasSubstr("has no \"capacity\""));
  EXPECT_THAT(complaint(R"({"capacity": 20000, "items": [[1]]})"), HasSubstr("from 1 to 10000"));
  EXPECT_THAT(complaint(R"({"capacity": 10})"), HasSubstr("has no \"items\""));
  EXPECT_THAT(complaint(R"({"capacity": 10, "items": []})"), HasSubstr("has no \"items\""));
  EXPECT_THAT(complaint(R"({"capacity": 10, "items": [3]})"), HasSubstr("items[0] is not a list"));
  EXPECT_THAT(complaint(R"({"capacity": 10, "items": [[]]})"), HasSubstr("items[0] is not a list"));
  EXPECT_THAT(complaint(R"({"capacity": 10, "items": [[1], [2, 11]]})"), HasSubstr("items[1][1] is 11, not a whole"));
  EXPECT_THAT(complaint(R"({"capacity": 10, "items": [[-1]]})"), HasSubstr("items[0][0] is -1"));
  EXPECT_THAT(complaint(R"({"capacity": 10, "items": [[2.5]]})"), HasSubstr("items[0][0] is 2.5"));
  EXPECT_THAT(complaint(R"({"capacity": 10, "items": [["2"]]})"), HasSubstr("items[0][0] is \"2\""));
}

TEST(PackingInstances, OfNoFileAreAnErrorThatNamesIt) {
  EXPECT_THAT(read_instances("nowhere.json").error().message, testing::HasSubstr("nowhere.json cannot be read"));
  EXPECT_THAT(read_instances(".").error().message, testing::HasSubstr(". is a folder"));
}

}  // namespace
}  // namespace evolve
