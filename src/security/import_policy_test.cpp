#include "security/import_policy.h"

#include <gmock/gmock.h>

namespace petri {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(ImportPolicy, AllowsEverythingWithoutLists) {
  ImportPolicy policy;
  policy.add({}, "the spec");
  EXPECT_TRUE(policy.empty());
  EXPECT_EQ(policy.refusal("petri", "log"), "");
}

TEST(ImportPolicy, RefusesWhatIsOnABlockList) {  // P09
  ImportPolicy policy;
  policy.add({.block = {"math", "petri.log"}}, "the spec");
  EXPECT_EQ(policy.refusal("petri", "log"), "is on the block-list of the spec");
  EXPECT_EQ(policy.refusal("math", "sin"), "is on the block-list of the spec");
  EXPECT_EQ(policy.refusal("petri", "logs"), "");
  EXPECT_EQ(policy.refusal("petri", "lo"), "");
  EXPECT_EQ(policy.refusal("mathematics", "sin"), "");
  EXPECT_EQ(policy.refusal("mat", "h"), "");
}

TEST(ImportPolicy, RefusesWhatIsNotOnAnAllowList) {  // P09
  ImportPolicy policy;
  policy.add({.allow = {"math", "petri.input_size"}}, "the profile quiet");
  EXPECT_EQ(policy.refusal("math", "sin"), "");
  EXPECT_EQ(policy.refusal("petri", "input_size"), "");
  EXPECT_EQ(policy.refusal("petri", "log"), "is not on the allow-list of the profile quiet");
}

TEST(ImportPolicy, AsksAllListsThereAre) {
  ImportPolicy policy;
  policy.add({.allow = {"petri"}}, "the profile quiet");
  policy.add({.block = {"petri.log"}}, "the spec");
  EXPECT_EQ(policy.refusal("petri", "log"), "is on the block-list of the spec");
  EXPECT_EQ(policy.refusal("math", "sin"), "is not on the allow-list of the profile quiet");
  EXPECT_EQ(policy.refusal("petri", "clock_ms"), "");
}

TEST(ImportRules, MustNotContradictThemselves) {
  const auto complaints_about = [](const ImportRules& rules) {
    Complaints complaints;
    check_import_rules(rules, "imports", complaints);
    return complaints.message();
  };
  EXPECT_EQ(complaints_about({.allow = {"math"}, .block = {"petri"}}), "");
  EXPECT_EQ(complaints_about({.allow = {"math", "a\nb"}, .block = {"math", "a\nb"}}),
            "imports: math is on the allow-list and on the block-list: take it off one of them; "
            "imports: a\\nb is on the allow-list and on the block-list: take it off one of them");
  EXPECT_EQ(complaints_about({.allow = {""}, .block = {"", ""}}),
            "imports: an entry is empty: write an import module such as math, or a function such as petri.log; "
            "imports: an entry is empty: write an import module such as math, or a function such as petri.log");
}

}  // namespace
}  // namespace petri
