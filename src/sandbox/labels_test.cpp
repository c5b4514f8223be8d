#include "sandbox/labels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using ::testing::ElementsAre;

const std::string kId = "a";

TEST(Labels, StayInTheOrderTheyWereGiven) {
  Labels labels(kId, {"red"});
  EXPECT_TRUE(labels.add("green"));
  EXPECT_TRUE(labels.add("red"));
  EXPECT_THAT(labels.all(), ElementsAre("red", "green"));
  EXPECT_TRUE(labels.contains("green"));
  EXPECT_FALSE(labels.contains("gree"));
}

TEST(Labels, AreRemovedOnce) {
  Labels labels(kId, {"red", "green"});
  EXPECT_TRUE(labels.remove("red"));
  EXPECT_THAT(labels.all(), ElementsAre("green"));
  const auto again = labels.remove("red");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, ErrorCode::not_found);
  EXPECT_EQ(again.error().message, "the sandbox a has no label red");
}

TEST(Labels, RefuseWhatIsNoLabel) {
  Labels labels(kId, {});
  const auto refused = labels.add("not a label!");
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::validation_failed);
}

}  // namespace
}  // namespace petri
