#include "cli/nearest.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

const std::vector<std::string_view> kNames{"create", "call", "cancel", "list", "limits"};

TEST(NearestName, IsAFewCharactersAway) {
  EXPECT_EQ(nearest_name("creat", kNames), "create");
  EXPECT_EQ(nearest_name("cal", kNames), "call");
  EXPECT_EQ(nearest_name("lits", kNames), "list");
  EXPECT_EQ(nearest_name("limit", kNames), "limits");
}

TEST(NearestName, IsNoneForWhatIsLikeNothing) {
  EXPECT_EQ(nearest_name("xyzzy", kNames), std::nullopt);
  EXPECT_EQ(nearest_name("", kNames), std::nullopt);
  EXPECT_EQ(nearest_name(std::string(1'000'000, 'c'), kNames), std::nullopt);
}

TEST(NearestNames, HaveTheWordInThemOrAreFewCharactersAway) {
  using Names = std::vector<std::string_view>;
  EXPECT_EQ(nearest_names("c", kNames, 2), (Names{"create", "call"}));
  EXPECT_EQ(nearest_names("cel", kNames, 2), (Names{"cancel", "call"}));
  EXPECT_EQ(nearest_names("lits", kNames, 1), (Names{"list"}));
  EXPECT_EQ(nearest_names("", kNames, 9).size(), kNames.size());
}

TEST(NearestName, IsAskedForInASentence) {
  EXPECT_EQ(did_you_mean("lst", kNames), "; did you mean list?");
  EXPECT_EQ(did_you_mean("nothing like it", kNames), "");
}

}  // namespace
}  // namespace petri::cli
