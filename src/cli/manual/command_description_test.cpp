#include "cli/manual/command_description.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

#include "cli/command_line.h"

namespace petri::cli {
namespace {

using ::testing::ElementsAre;

const CommandDescription& find(const std::vector<CommandDescription>& all, std::string_view words) {
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.words == words; });
  EXPECT_NE(found, all.end()) << words;
  return *found;
}

const OptionDescription& option(const CommandDescription& command, std::string_view name) {
  for (const OptionDescription& one : command.options) {
    if (std::find(one.names.begin(), one.names.end(), name) != one.names.end()) return one;
  }
  ADD_FAILURE() << name;
  return command.options.at(0);
}

TEST(CommandDescription, HasEveryCommandWithItsHelp) {
  const auto descriptions = command_descriptions();
  const auto pages = help_pages();
  ASSERT_EQ(descriptions.size(), pages.size());
  for (std::size_t i = 0; i < pages.size(); ++i) {
    EXPECT_EQ(descriptions[i].words, pages[i].command);
    EXPECT_FALSE(descriptions[i].examples.empty()) << pages[i].command;
    for (const OptionDescription& one : descriptions[i].options)
      for (const std::string& name : one.names) EXPECT_THAT(pages[i].text, ::testing::HasSubstr(name));
  }
}

TEST(CommandDescription, ListsWhatOptionsAndArgumentsCanBe) {
  const auto all = command_descriptions();
  const CommandDescription& run = find(all, "petri run");
  EXPECT_THAT(option(run, "--tier").value.words, ElementsAre("interpreted", "compiled", "automatic"));
  EXPECT_EQ(option(run, "--allow").value.kind, ValueKind::word_list);
  EXPECT_EQ(option(run, "--folder").value.kind, ValueKind::folder);
  EXPECT_THAT(option(run, "--memory").names, ElementsAre("--memory", "--memory-bytes-max"));
  EXPECT_EQ(option(run, "--memory").group, "Limits");
  EXPECT_EQ(option(run, "--json").placeholder, "");
  ASSERT_EQ(run.arguments.size(), 1U);
  EXPECT_EQ(run.arguments[0].value.kind, ValueKind::file);
  EXPECT_TRUE(find(all, "petri evaluate").arguments.at(0).repeats);
  EXPECT_THAT(find(all, "petri audit").commands, ElementsAre("verify"));
  EXPECT_EQ(find(all, "petri audit verify").path(), "audit verify");
}

TEST(CommandDescription, TakesTheTextBelowTheOptionsApart) {
  const auto all = command_descriptions();
  const CommandDescription& run = find(all, "petri run");
  EXPECT_THAT(run.notes, ElementsAre("What follows -- are the arguments of a WASI program."));
  EXPECT_THAT(run.examples, ElementsAre("petri run add.wat --call add --args 2 3 --fuel 1000",
                                        "petri run tool.wasm --folder data -- list all"));
}

}  // namespace
}  // namespace petri::cli
