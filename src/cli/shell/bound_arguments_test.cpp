#include "cli/shell/bound_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using TypedWords = std::vector<std::string>;

BoundArguments bound(std::string_view verb, const TypedWords& words) {
  auto arguments = BoundArguments::bind(*find_verb(verb), words);
  EXPECT_TRUE(arguments) << arguments.error().message;
  return *arguments;
}

std::string complaint(std::string_view verb, const TypedWords& words) {
  const auto arguments = BoundArguments::bind(*find_verb(verb), words);
  return arguments ? "it was accepted" : arguments.error().message;
}

TEST(BoundArguments, StandInTheirPlacesWhereverOptionsAre) {
  const BoundArguments call = bound("call", {"a/b", "--timeout", "5s", "add", "2", "-3.5", "--input=x=y"});
  EXPECT_EQ(call.at(0), "a/b");
  EXPECT_EQ(call.at(1), "add");
  EXPECT_THAT(call.from(2), ElementsAre("2", "-3.5"));
  EXPECT_EQ(call.value("--timeout"), "5s");
  EXPECT_EQ(call.value("--input"), "x=y");
  EXPECT_FALSE(call.has("--background"));
  EXPECT_EQ(call.value("--background"), std::nullopt);
}

TEST(BoundArguments, MayRepeatAndMayBeLeftOut) {
  const BoundArguments create = bound("create", {"a", "--label", "x", "--label=y", "--deterministic"});
  EXPECT_THAT(create.values("--label"), ElementsAre("x", "y"));
  EXPECT_THAT(create.values("--env"), IsEmpty());
  EXPECT_TRUE(create.has("--deterministic"));
  EXPECT_FALSE(create.has(1));
  EXPECT_EQ(create.at(1), "");
}

TEST(BoundArguments, AcceptUnderscoresInTheNamesOfOptions) {
  EXPECT_TRUE(bound("restart", {"a", "--keep_state"}).has("--keep-state"));
  EXPECT_THAT(bound("create", {"a", "--allow_import=petri_log"}).values("--allow-import"), ElementsAre("petri_log"));
}

TEST(BoundArguments, AfterTwoDashesAreNoOptions) { EXPECT_EQ(bound("send", {"a", "--", "--input"}).at(1), "--input"); }

TEST(BoundArguments, ThatMakeNoSenseAreRefusedInASentence) {
  EXPECT_EQ(complaint("send", {"a"}), "TEXT is missing; see help send");
  EXPECT_EQ(complaint("stop", {}), "ID is missing; see help stop");
  EXPECT_EQ(complaint("stop", {"a", "b\n"}), "\"b\\n\" is one word too many; see help stop");
  EXPECT_EQ(complaint("create", {"--lable", "x"}),
            "there is no option \"--lable\"; did you mean --label?; see help create");
  EXPECT_EQ(complaint("create", {"--seed", "1", "--seed", "2"}),
            "the option --seed is given more than once; see help create");
  EXPECT_EQ(complaint("create", {"--seed"}), "the option --seed needs a value; see help create");
  EXPECT_EQ(complaint("create", {"--deterministic=yes"}), "the option --deterministic takes no value; see help create");
}

}  // namespace
}  // namespace petri::cli
