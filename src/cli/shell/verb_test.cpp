#include "cli/shell/verb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "cli/shell/bound_arguments.h"
#include "cli/shell/words.h"

namespace petri::cli {
namespace {

using ::testing::HasSubstr;

TEST(ShellVerbs, AreAllThereOnce) {
  std::set<std::string_view> names;
  for (const Verb& verb : shell_verbs()) EXPECT_TRUE(names.insert(verb.name).second) << verb.name;
  for (const std::string_view name :
       {"create", "children", "call", "send", "run", "info", "list", "find", "usage", "limits", "permissions", "audit",
        "events", "cancel", "stop", "restart", "destroy", "help", "quit"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(ShellVerbs, HaveExamplesThatCanBeTyped) {
  for (const Verb& verb : shell_verbs()) {
    const auto words = split_words(verb.example);
    ASSERT_TRUE(words) << verb.example;
    EXPECT_EQ(words->front().text, verb.name);
    std::vector<std::string> rest;
    for (std::size_t i = 1; i < words->size(); ++i) rest.push_back((*words)[i].text);
    const auto arguments = BoundArguments::bind(verb, rest);
    EXPECT_TRUE(arguments) << verb.example << ": " << arguments.error().message;
  }
}

TEST(ShellVerbs, LetOnlyTheLastArgumentRepeatOrStayAway) {
  for (const Verb& verb : shell_verbs()) {
    bool optional = false;
    for (std::size_t i = 0; i < verb.arguments.size(); ++i) {
      EXPECT_FALSE(optional && verb.arguments[i].required) << verb.name;
      EXPECT_TRUE(!verb.arguments[i].repeats || i + 1 == verb.arguments.size()) << verb.name;
      optional = optional || !verb.arguments[i].required;
    }
  }
}

TEST(ShellVerbs, ThatAreMisspeltAreProposed) {
  EXPECT_EQ(verb_named("crate").error().message, "there is no verb \"crate\"; did you mean create?");
  EXPECT_EQ(verb_named("\x1b[2J").error().message, "there is no verb \"\\x1b[2J\"; help lists them");
  EXPECT_EQ((*verb_named("stop"))->name, "stop");
}

TEST(ShellVerbs, AreExplainedByTheirRow) {
  const std::string help = help_of(*find_verb("send"));
  EXPECT_EQ(help,
            "send ID[/PROCESS] TEXT\n"
            "Sends a message to petri_handle of a live process, and does not wait\n"
            "Example: send orders/worker \"ship 7\\n\"\n");
  EXPECT_EQ(usage_of(*find_verb("call")), "call ID[/PROCESS] [FUNCTION] [NUMBER]... [OPTION]...");
  for (const Verb& verb : shell_verbs()) EXPECT_THAT(help_of_verbs(), HasSubstr(std::string(verb.about)));
}

}  // namespace
}  // namespace petri::cli
