#include "cli/number_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using ::testing::ElementsAre;

TEST(NumberArguments, AreKnownByTheirFirstCharacters) {
  for (const char* word :
       {"0", "7", "-3", "+3", "2.5", ".5", "-.5", "-0x1f", "1e9", "inf", "-inf", "nan", "-nan:0x1"}) {
    EXPECT_TRUE(looks_like_a_number(word)) << word;
  }
  for (const char* word : {"", "-", "--", "--fuel", "-h", "a.wat", "-info", "nano.wat", "infinite", "."}) {
    EXPECT_FALSE(looks_like_a_number(word)) << word;
  }
}

TEST(NumberArguments, AreEachBoundToTheirOption) {
  EXPECT_THAT(bind_number_arguments({"run", "f.wat", "--args", "1", "-2.5", "-inf"}),
              ElementsAre("run", "f.wat", "--args=1", "--args=-2.5", "--args=-inf"));
}

TEST(NumberArguments, EndAtTheFirstWordThatIsNoNumber) {
  EXPECT_THAT(bind_number_arguments({"run", "--args", "1", "f.wat", "2"}),
              ElementsAre("run", "--args=1", "f.wat", "2"));
  EXPECT_THAT(bind_number_arguments({"--args", "1", "--fuel", "9", "--args", "2"}),
              ElementsAre("--args=1", "--fuel", "9", "--args=2"));
}

TEST(NumberArguments, LeaveAnOptionWithoutNumbersToTheParser) {
  EXPECT_THAT(bind_number_arguments({"run", "--args"}), ElementsAre("run", "--args"));
  EXPECT_THAT(bind_number_arguments({"--args", "abc"}), ElementsAre("--args", "abc"));
}

}  // namespace
}  // namespace petri::cli
