#include "cli/commands/function_choice.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A module with an empty function for each of these names.
std::string with_functions(const std::vector<std::string>& names, std::string_view more = "") {
  std::string wat = "(module ";
  for (const std::string& name : names) wat += fmt::format("(func (export \"{}\"))", name);
  return wat + std::string(more) + ")";
}

std::string chosen(const std::string& wat, const std::optional<std::string>& name = std::nullopt) {
  const auto artifact = Artifact::from_wat(wat, 1 << 20);
  if (!artifact) return artifact.error().message;
  const auto choice = choose_function(**artifact, name);
  return choice ? (*choice)->name : choice.error().message;
}

ExportInfo function(std::string name, Signature signature) {
  return {.name = std::move(name), .signature = std::move(signature)};
}

TEST(FunctionChoice, PrefersTheNameThatWasGiven) { EXPECT_EQ(chosen(with_functions({"a", "b"}), "b"), "b"); }

TEST(FunctionChoice, FallsBackToStartThenToTheOnlyFunction) {
  EXPECT_EQ(chosen(with_functions({"a", "_start"})), "_start");
  EXPECT_EQ(chosen(with_functions({"_initialize", "a"}, "(memory (export \"m\") 1)")), "a");
}

TEST(FunctionChoice, ListsWhatCouldBeMeant) {  // R03
  const std::string two = with_functions({"a", "b"});
  EXPECT_EQ(chosen(two), "the module exports 2 functions; choose one with --call: \"a\", \"b\"");
  EXPECT_EQ(chosen(two, "c"), "there is no exported function \"c\"; the module exports \"a\", \"b\"");
  EXPECT_EQ(chosen("(module)"), "the module exports no function that could be called");
  EXPECT_EQ(chosen("(module)", "c"), "there is no exported function \"c\"; the module exports no function");
}

TEST(FunctionChoice, ListsOnlyAFewOfVeryMany) {
  std::vector<std::string> names;
  for (int i = 0; i < 200; ++i) names.push_back(fmt::format("f{}", i));
  EXPECT_THAT(chosen(with_functions(names)), HasSubstr("\"f19\" and 180 more"));
}

TEST(FunctionChoice, RefusesWhatIsNoFunctionAndEscapesNames) {
  EXPECT_EQ(chosen("(module (memory (export \"m\") 1))", "m"),
            "the export \"m\" is a memory, not a function; only functions can be called");
  EXPECT_THAT(chosen(with_functions({"a", "\\1b[31m"})), HasSubstr("\"\\x1b[31m\""));
}

TEST(FunctionArguments, AreReadInTheTypesOfTheParameters) {
  const auto f = function("f", {.params = {ValueType::i32, ValueType::f64}});
  const auto values = parse_arguments(f, {"-3", "2.5"});
  ASSERT_TRUE(values);
  EXPECT_THAT(*values, ElementsAre(Value(std::int32_t{-3}), Value(2.5)));
}

TEST(FunctionArguments, AreCountedBeforeTheGuestIsEntered) {  // R04
  const auto f = function("f", {.params = {ValueType::i32}, .results = {ValueType::i32}});
  EXPECT_EQ(parse_arguments(f, {}).error().message,
            "the function \"f\" (i32) -> i32 takes 1 argument, and 0 were given");
  EXPECT_EQ(parse_arguments(f, {"1", "2"}).error().message,
            "the function \"f\" (i32) -> i32 takes 1 argument, and 2 were given");
}

TEST(FunctionArguments, ThatDoNotFitAreNamed) {  // R04
  const auto f = function("f", {.params = {ValueType::f64, ValueType::i32}});
  EXPECT_THAT(parse_arguments(f, {"1", "2.5"}).error().message, HasSubstr("argument 2 of \"f\": \"2.5\""));
  EXPECT_THAT(parse_arguments(f, {"1", "4294967296"}).error().message, HasSubstr("\"4294967296\""));
}

}  // namespace
}  // namespace petri::cli
