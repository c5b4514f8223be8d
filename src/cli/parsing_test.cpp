#include "cli/parsing.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>

namespace petri::cli {
namespace {

struct Grammar {
  Grammar() {
    CLI::App* count = app.add_subcommand("count", "Counts");
    count->add_option("--to", to, "How far");
    count->add_flag("--json", json, "As JSON");
    app.add_subcommand("name", "Names")->allow_extras();
    app.require_subcommand(0, 1);
  }
  CLI::App app{"Counts and names.", "tool"};
  int to = 0;
  bool json = false;
};

std::string parsing_refusal(std::vector<std::string> words) {
  Grammar grammar;
  const auto parsed = parse(grammar.app, std::move(words));
  if (!parsed) return parsed.error().message;
  return *parsed == Parsed::unexpected_word ? refuse_unexpected(grammar.app).error().message : "it was accepted";
}

TEST(Parsing, KnowsTheCommandThatWasNamed) {
  Grammar grammar;
  EXPECT_EQ(parse(grammar.app, {"count", "--to", "3"}), Parsed::all);
  EXPECT_EQ(words_for(named_command(grammar.app)), "tool count");
  EXPECT_EQ(grammar.to, 3);
}

TEST(Parsing, GivesTheHelpOfTheCommandThatWasNamed) {
  Grammar grammar;
  EXPECT_EQ(parse(grammar.app, {"count", "--help"}), Parsed::help);
  EXPECT_NE(help_of(named_command(grammar.app)).find("Usage: tool count"), std::string::npos);
}

TEST(Parsing, NamesTheProgramThatItReadsFor) {
  EXPECT_EQ(parsing_refusal({"fly"}), "there is no command or option \"fly\"; see tool --help");
  EXPECT_EQ(parsing_refusal({"count", "x"}), "the argument \"x\" is one too many; see tool count --help");
  EXPECT_EQ(parsing_refusal({"count", "--to"}), "the option --to needs a value; see tool count --help");
  EXPECT_EQ(parsing_refusal({"name", "a", "--fast", "b"}), "there is no option \"--fast\"; see tool name --help");
}

TEST(Parsing, AsksForJsonOnlyBeforeTheProgramsOwnArguments) {
  EXPECT_TRUE(asks_for_json({"run", "--json", "--flue"}));
  EXPECT_FALSE(asks_for_json({"run", "f", "--", "--json"}));
}

}  // namespace
}  // namespace petri::cli
