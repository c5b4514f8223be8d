#include "developer/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::developer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Words = std::vector<std::string>;

std::string refusal(const Words& words) {
  const auto command = parse_command_line(words);
  if (command) return "it was accepted";
  EXPECT_EQ(command.error().code, ErrorCode::validation_failed);
  return command.error().message;
}

TEST(DevCommandLine, ReadsEveryOptionOfBench) {
  const auto command = parse_command_line({"bench", "a", "--list", "--verbose", "b", "--json"});
  ASSERT_TRUE(command) << command.error().message;
  const auto& options = std::get<BenchOptions>(*command);
  EXPECT_THAT(options.names, ElementsAre("a", "b"));
  EXPECT_TRUE(options.list && options.verbose && options.json);
}

TEST(DevCommandLine, TakesNothingInBracketsApart) {
  const std::string brackets = std::string(60'000, '[') + std::string(60'000, ']');
  const auto command = parse_command_line({"bench", brackets, "[a,b]"});
  ASSERT_TRUE(command);
  EXPECT_THAT(std::get<BenchOptions>(*command).names, ElementsAre(brackets, "[a,b]"));
}

TEST(DevCommandLine, ReadsWhichCandidatesAreAskedFor) {
  const auto command = parse_command_line({"candidates", "12", "6"});
  ASSERT_TRUE(command) << command.error().message;
  const auto& options = std::get<CandidatesOptions>(*command);
  EXPECT_EQ(options.first, 12U);
  EXPECT_EQ(options.count, 6U);
}

TEST(DevCommandLine, NamesWhatItCannotUnderstand) {
  EXPECT_EQ(refusal({}), "petri-dev needs a command: tables, bench or candidates; see petri-dev --help");
  EXPECT_EQ(refusal({"run"}), "there is no command or option \"run\"; see petri-dev --help");
  EXPECT_EQ(refusal({"bench", "a", "--fast"}), "there is no option \"--fast\"; see petri-dev bench --help");
  EXPECT_EQ(refusal({"tables", "limits", "x"}), "the argument \"x\" is one too many; see petri-dev tables --help");
}

TEST(DevCommandLine, HelpIsGivenForTheCommandThatWasNamed) {
  for (const std::string name : {"tables", "bench", "candidates"}) {
    const auto command = parse_command_line({name, "--help"});
    ASSERT_TRUE(command) << name;
    EXPECT_THAT(std::get<HelpText>(*command).text, HasSubstr("Example: petri-dev " + name));
  }
}

}  // namespace
}  // namespace petri::developer
