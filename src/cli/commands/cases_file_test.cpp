#include "cli/commands/cases_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace petri::cli {
namespace {

using ::testing::ElementsAre;
using enum ValueType;

CasesFile cases_in(std::string_view text) {
  const auto file = parse_cases(text);
  EXPECT_TRUE(file) << file.error().message;
  return file.value_or(CasesFile{});
}

std::string cases_refusal(std::string_view text) {
  const auto file = parse_cases(text);
  return file ? "it was accepted" : file.error().message;
}

Value value_of(std::string_view number, ValueType type) {
  const CasesFile file = cases_in("{\"cases\": [[" + std::string(number) + "]]}");
  const auto cases = with_types(file, std::vector{type});
  EXPECT_TRUE(cases) << cases.error().message;
  return cases ? cases->front().arguments.front() : Value(0);
}

TEST(CasesFile, HasListsOfArguments) {
  const CasesFile file = cases_in(R"({"cases": [[1, -2.5], [3, 4]], "targets": [3, "7.5"]})");
  EXPECT_THAT(file.cases, ElementsAre(CaseText{.arguments = {"1", "-2.5"}}, CaseText{.arguments = {"3", "4"}}));
  EXPECT_THAT(file.targets, ElementsAre(3, 7.5));
  EXPECT_FALSE(file.types);
  EXPECT_EQ(file.arguments_per_case(), 2U);
}

TEST(CasesFile, TakesASingleArgumentWithoutItsList) {
  EXPECT_EQ(cases_in(R"({"cases": [1, "inf"]})").cases, cases_in(R"({"cases": [[1], ["inf"]]})").cases);
}

TEST(CasesFile, HasBytesForTheInput) {
  const CasesFile file =
      cases_in(R"({"cases": [{"input": "two\nlines"}, {"input_base64": "AP8=", "arguments": []}, []]})");
  EXPECT_THAT(file.cases,
              ElementsAre(CaseText{.input = "two\nlines"}, CaseText{.input = std::string("\0\xff", 2)}, CaseText{}));
}

TEST(CasesFile, MaySayTheTypes) {
  EXPECT_EQ(cases_in(R"({"types": ["i32", "f64"], "cases": [[1, 2]]})").types, (std::vector{i32, f64}));
  EXPECT_EQ(cases_refusal(R"({"types": ["i32", "f64"], "cases": [[1]]})"), "\"types\" has 2 and a case has 1 argument");
  EXPECT_EQ(cases_refusal(R"({"types": ["int"], "cases": [[1]]})"),
            "types[0] is \"int\" but can be i32, i64, f32, f64");
  EXPECT_EQ(cases_refusal(R"({"types": ["funcref"], "cases": [[1]]})"),
            "types[0] is \"funcref\" but can be i32, i64, f32, f64");
}

TEST(CasesFile, KeepsNumbersExact) {
  EXPECT_EQ(value_of("9223372036854775807", i64), Value(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(value_of("\"-9223372036854775808\"", i64), Value(std::numeric_limits<std::int64_t>::min()));
  EXPECT_EQ(value_of("9007199254740993", i64), Value(std::int64_t{9'007'199'254'740'993}));
  EXPECT_EQ(value_of("\"0xffffffff\"", i32), Value(-1));
  EXPECT_EQ(value_of("0.1", f64), Value(0.1));
  EXPECT_EQ(value_of("0.1", f32), Value(0.1F));
  EXPECT_EQ(value_of("5e-324", f64), Value(5e-324));
  EXPECT_EQ(value_of("-0.0", f64), Value(-0.0));
  EXPECT_EQ(value_of("3", f64), Value(3.0));
}

TEST(CasesFile, SpellsWhatJsonHasNoNumbersForAsText) {
  EXPECT_EQ(value_of("\"-inf\"", f64), Value(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(value_of("\"nan:0x1\"", f64), Value::from_bits(f64, 0x7ff0'0000'0000'0001));
  EXPECT_TRUE(std::isnan(value_of("\"nan\"", f32).f32()));
}

TEST(CasesFile, NamesTheNumberThatDoesNotFitItsType) {
  const CasesFile file = cases_in(R"({"cases": [[1, 2], [3, 4.5]]})");
  EXPECT_EQ(with_types(file, std::vector{f64, i32}).error().message,
            "argument 1 of case 1: \"4.5\" cannot be an i32: it is not an integer");
  EXPECT_EQ(with_types(cases_in(R"({"cases": [4294967296]})"), std::vector{i32}).error().message,
            "argument 0 of case 0: \"4294967296\" cannot be an i32: it lies outside -2147483648 to 2147483647");
}

TEST(CasesFile, RefusesCasesOfDifferentArity) {
  EXPECT_EQ(cases_refusal(R"({"cases": [[1, 2], [3, 4], [5]]})"),
            "case 2 has 1 argument and case 0 has 2; all cases call the same function");
}

TEST(CasesFile, SaysWhereItIsNotJson) {
  EXPECT_EQ(cases_refusal("{\"cases\": [\n  [1, ]]}"), "this is not JSON from line 2, column 7 on");
  EXPECT_EQ(cases_refusal(""), "this is not JSON from line 1, column 1 on");
  EXPECT_EQ(cases_refusal("{\"cases\": [[1e999]]}"), "a number in it is larger than any type of argument holds");
  EXPECT_EQ(parse_cases("{").error().code, ErrorCode::parse_failed);
}

TEST(CasesFile, SaysWhichOutputIsRight) {
  const CasesFile file =
      cases_in(R"({"cases": [{"input": "1", "expected": "2"}, {"expected_base64": "/w=="}, {"expected": ""}, {}]})");
  EXPECT_EQ(file.cases[0].expected, "2");
  EXPECT_EQ(file.cases[1].expected, "\xff");
  EXPECT_EQ(file.cases[2].expected, "");
  EXPECT_EQ(file.cases[3].expected, std::nullopt);
  EXPECT_TRUE(file.expects_output());
  EXPECT_EQ(cases_refusal(R"({"cases": [{"expected": "a", "expected_base64": "YQ=="}]})"),
            "cases[0].expected_base64 stands beside expected, and only one of them can be");
  EXPECT_EQ(cases_refusal("{\"cases\": [{\"expected\": \"\xff\"}]}"), "this is not JSON from line 1, column 26 on");
}

TEST(CasesFile, SaysWhatIsNotAsItShouldBe) {
  EXPECT_EQ(cases_refusal("[[1]]"), "this is not an object with \"cases\"");
  EXPECT_EQ(cases_refusal("{}"), "cases is missing");
  EXPECT_EQ(cases_refusal(R"({"cases": 3})"), "cases is not a list");
  EXPECT_EQ(cases_refusal(R"({"cases": [null]})"), "cases[0] is neither a list of arguments, nor one, nor an object");
  EXPECT_EQ(cases_refusal(R"({"cases": [[true]]})"), "cases[0][0] is neither a number nor the text of one");
  EXPECT_EQ(cases_refusal(R"({"cases": [], "target": []})"),
            "target is no field here (there are types, cases, targets)");
  EXPECT_EQ(cases_refusal(R"({"cases": [{"args": [1]}]})"),
            "cases[0].args is no field here (there are arguments, input, input_base64, expected, expected_base64)");
  EXPECT_EQ(cases_refusal(R"({"cases": [{"input": "a", "input_base64": "AA=="}]})"),
            "cases[0].input_base64 stands beside input, and only one of them can be");
  EXPECT_EQ(cases_refusal(R"({"cases": [{"input_base64": "?"}]})"), "cases[0].input_base64 is not base64");
  EXPECT_EQ(cases_refusal(R"({"cases": [{"input": 3}]})"), "cases[0].input is not a string");
  EXPECT_EQ(cases_refusal(R"({"cases": [1], "targets": ["far"]})"),
            "targets[0]: \"far\" cannot be an f64: it is not a number");
  EXPECT_EQ(cases_refusal(R"({"cases": [{"arguments": [{}]}, false], "types": 1})"),
            "cases[0].arguments[0] is neither a number nor the text of one; "
            "cases[1] is neither a list of arguments, nor one, nor an object; types is not a list");
}

TEST(CasesFile, LeavesItToTheEvaluationToRefuseTargetsThatAreNotFinite) {
  EXPECT_TRUE(std::isnan(cases_in(R"({"cases": [1], "targets": ["nan"]})").targets.front()));
}

TEST(CasesFile, SurvivesListsOfAnyDepth) {
  const std::string deep(100'000, '[');
  EXPECT_EQ(cases_refusal("{\"cases\": " + deep), "it has more than 64 lists and objects within one another");
  EXPECT_EQ(cases_refusal("{\"cases\": [[[[]]]]}"), "cases[0][0] is neither a number nor the text of one");
}

}  // namespace
}  // namespace petri::cli
