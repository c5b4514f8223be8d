#include "evolve/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace evolve {
namespace {

using testing::HasSubstr;

Options options_of(const std::vector<std::string>& arguments) {
  const auto parsed = parse_command_line(arguments);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed->options.value();
}

std::string complaint_about(const std::vector<std::string>& arguments) {
  const auto parsed = parse_command_line(arguments);
  return parsed ? "none" : parsed.error().message;
}

TEST(EvolveOptions, AreASortingNetworkOfEightInputsUnlessOneSaysMore) {
  const Options options = options_of({});

  EXPECT_EQ(options.subject, Subject::sorting_network);
  EXPECT_EQ(options.inputs, 8U);
  EXPECT_EQ(options.seed, 1U);
  EXPECT_GT(options.budget, 0U);
}

TEST(EvolveOptions, MayStandBeforeOrAfterTheProblem) {
  EXPECT_EQ(options_of({"parity", "--seed", "9", "--inputs", "5"}).seed, 9U);
  EXPECT_EQ(options_of({"--seed", "9", "parity"}).seed, 9U);
  EXPECT_EQ(options_of({"parity", "--inputs", "5"}).parity_inputs, 5U);
  EXPECT_EQ(options_of({"bin-packing", "--sizes", "uniform"}).sizes, ItemSizes::uniform);
  EXPECT_EQ(options_of({"symbolic-regression", "--problem", "pagie-1"}).benchmark, "pagie-1");
}

TEST(EvolveOptions, OutOfRangeAreRefused) {
  EXPECT_THAT(complaint_about({"sorting-network", "--inputs", "9"}), HasSubstr("--inputs"));
  EXPECT_THAT(complaint_about({"sorting-network", "--inputs", "3"}), HasSubstr("--inputs"));
  EXPECT_THAT(complaint_about({"parity", "--inputs", "7"}), HasSubstr("--inputs"));
  EXPECT_THAT(complaint_about({"--budget", "0"}), HasSubstr("--budget"));
  EXPECT_THAT(complaint_about({"--seed", "-1"}), HasSubstr("--seed"));
  EXPECT_THAT(complaint_about({"bin-packing", "--sizes", "round"}), HasSubstr("round"));
  EXPECT_THAT(complaint_about({"cooking"}), HasSubstr("cooking"));
}

TEST(EvolveOptions, KeepRecordsOfOneSeedOnly) {
  EXPECT_THAT(complaint_about({"--seeds", "2", "--records", "a.jsonl"}), HasSubstr("--records holds one run"));
}

TEST(EvolveProblem, OfAFileThatIsNotThereIsAnError) {
  const auto problem = make_problem(options_of({"bin-packing", "--instances", "nowhere.json"}), 1);

  ASSERT_FALSE(problem);
  EXPECT_THAT(problem.error().message, HasSubstr("nowhere.json"));
}

TEST(EvolveProblem, OfANameNobodyKnowsIsAnError) {
  EXPECT_FALSE(make_problem(options_of({"symbolic-regression", "--problem", "koza-7"}), 1));
}

}  // namespace
}  // namespace evolve
