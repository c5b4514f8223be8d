#include "cli/command_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace petri::cli {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Pair;
using Words = std::vector<std::string>;

RunOptions run_options(const Words& words) {
  const auto command = parse_command_line(words);
  EXPECT_TRUE(command) << command.error().message;
  return command ? std::get<RunOptions>(*command) : RunOptions{};
}

std::string refusal(const Words& words) {
  const auto command = parse_command_line(words);
  if (command) return "it was accepted";
  EXPECT_EQ(command.error().code, ErrorCode::validation_failed);
  return command.error().message;
}

TEST(CommandLine, ReadsEveryOptionOfRun) {
  const RunOptions options = run_options({"run",
                                          "f.wat",
                                          "--call",
                                          "f",
                                          "--args",
                                          "1",
                                          "-2.5",
                                          "-inf",
                                          "--fuel",
                                          "10",
                                          "--memory",
                                          "16MiB",
                                          "--timeout",
                                          "50ms",
                                          "--depth",
                                          "99",
                                          "--tier",
                                          "compiled",
                                          "--seed",
                                          "7",
                                          "--allow",
                                          "log,clock",
                                          "--folder",
                                          "data",
                                          "--env",
                                          "A=b=c",
                                          "--env",
                                          "D=",
                                          "--json",
                                          "--quiet",
                                          "--input",
                                          "in.txt",
                                          "--output_bytes_max",
                                          "1KiB",
                                          "--deterministic",
                                          "--",
                                          "--json",
                                          "-x"});
  EXPECT_EQ(options.file, "f.wat");
  EXPECT_EQ(options.function, "f");
  EXPECT_THAT(options.arguments, ElementsAre("1", "-2.5", "-inf"));
  EXPECT_EQ(options.limits.fuel_max, 10U);
  EXPECT_EQ(options.limits.memory_bytes_max, 16U << 20);
  EXPECT_EQ(options.limits.execution_time_max, 50ms);
  EXPECT_EQ(options.limits.call_depth_max, 99U);
  EXPECT_EQ(options.limits.output_bytes_max, 1U << 10);
  EXPECT_EQ(options.tier, Tier::compiled);
  EXPECT_EQ(options.seed, 7U);
  EXPECT_EQ(options.permissions, Permissions({Permission::log, Permission::clock}));
  EXPECT_EQ(options.folder, "data");
  EXPECT_THAT(options.environment, ElementsAre(Pair("A", "b=c"), Pair("D", "")));
  EXPECT_EQ(options.input, "in.txt");
  EXPECT_TRUE(options.deterministic);
  EXPECT_TRUE(options.json);
  EXPECT_TRUE(options.quiet);
  EXPECT_THAT(options.program_arguments, ElementsAre("--json", "-x"));
}

TEST(CommandLine, LeavesDefaultsWhereNothingIsSaid) {
  const RunOptions options = run_options({"run", "-"});
  EXPECT_EQ(options.file, "-");
  EXPECT_EQ(options.function, std::nullopt);
  EXPECT_EQ(options.limits, Limits{.module_bytes_max = kProgramBytesMax});
  EXPECT_EQ(options.permissions.to_text(), "log clock random file_read");
}

TEST(CommandLine, TakesEveryLimitByItsFullName) {
  for (const LimitRule& rule : limit_rules()) {
    const std::string smallest = rule.unit == "ns" ? std::to_string(rule.min) + "ns" : std::to_string(rule.min);
    const RunOptions options = run_options({"run", "f", "--" + std::string(rule.name), smallest});
    EXPECT_EQ(limit_value(options.limits, rule), rule.min) << rule.name;
  }
}

TEST(CommandLine, TakesANameThatIsACommandForAFile) {
  EXPECT_EQ(run_options({"run", "inspect"}).file, "inspect");
  EXPECT_EQ(run_options({"run", "--call", "run", "bench"}).file, "bench");
}

TEST(CommandLine, TakesNothingInBracketsApart) {
  const std::string brackets = std::string(60'000, '[') + std::string(60'000, ']');
  EXPECT_THAT(run_options({"run", "f", "--args=[1,2]"}).arguments, ElementsAre("[1,2]"));
  EXPECT_THAT(run_options({"run", "f", "--args", brackets}).arguments, ElementsAre(brackets));
  EXPECT_EQ(run_options({"run", brackets}).file, brackets);
}

TEST(CommandLine, NamesWhatItCannotUnderstand) {
  EXPECT_THAT(refusal({}), HasSubstr("needs a command"));
  EXPECT_EQ(refusal({"fly"}), "there is no command or option \"fly\"; see petri --help");
  EXPECT_EQ(refusal({"run", "f", "--flue", "1"}),
            "there is no option \"--flue\"; did you mean --fuel?; see petri run --help");
  EXPECT_EQ(refusal({"inspect", "f", "g"}), "the argument \"g\" is one too many; see petri inspect --help");
  EXPECT_EQ(refusal({"run", "f", "--args", "1", "two"}),
            "\"two\" is neither a number, as --args expects, nor an option; see petri run --help");
  EXPECT_EQ(refusal({"version", "--", "x"}), "only petri run takes arguments after --; see petri version --help");
  EXPECT_THAT(refusal({"run"}), HasSubstr("FILE"));
  EXPECT_THAT(refusal({"run", "f", "--fuel"}), HasSubstr("--fuel"));
  EXPECT_THAT(refusal({"run", "f", "--fuel", "1", "--fuel", "2"}), HasSubstr("--fuel"));
}

TEST(CommandLine, SaysWhereBenchAndTablesWent) {
  for (const std::string name : {"bench", "tables"}) {
    EXPECT_THAT(refusal({name}), HasSubstr("petri " + name + " is now petri-dev " + name));
    EXPECT_THAT(refusal({name, "--help"}), EndsWith("make petri-dev builds it"));
    EXPECT_THAT(refusal({name, "a", "--json", "--", "b"}), EndsWith("make petri-dev builds it"));
  }
}

TEST(CommandLine, NamesValuesThatMakeNoSense) {
  EXPECT_THAT(refusal({"run", "f", "--fuel", "-1"}), HasSubstr("\"-1\""));
  EXPECT_THAT(refusal({"run", "f", "--memory", "16MB"}), HasSubstr("\"16MB\""));
  EXPECT_THAT(refusal({"run", "f", "--timeout", "50"}), HasSubstr("\"50\""));
  EXPECT_THAT(refusal({"run", "f", "--tier", "warp"}), HasSubstr("\"warp\""));
  EXPECT_THAT(refusal({"run", "f", "--seed", "x"}), HasSubstr("\"x\""));
  EXPECT_THAT(refusal({"run", "f", "--allow", "log,fly"}), HasSubstr("\"fly\""));
  EXPECT_THAT(refusal({"run", "f", "--env", "novalue"}), HasSubstr("\"novalue\""));
}

TEST(CommandLine, EscapesTheWordsItRepeats) {
  EXPECT_EQ(refusal({"run", "f", "--\x1b[31m"}), "there is no option \"--\\x1b[31m\"; see petri run --help");
  EXPECT_THAT(refusal({"run", "f", "--tier", "a\nb"}), Not(HasSubstr("\n")));
}

TEST(CommandLine, HelpOfEveryCommandEndsWithAnExample) {
  for (const HelpPage& page : help_pages()) {
    const std::size_t example = page.text.find("Example: petri ");
    ASSERT_NE(example, std::string::npos) << page.command;
    EXPECT_EQ(page.text.find("\n\n", example), std::string::npos) << page.command;
    EXPECT_THAT(page.text, EndsWith("\n"));
  }
}

TEST(CommandLine, HelpIsGivenForTheCommandThatWasNamed) {
  for (const char* name : {"run", "inspect", "version"}) {
    const auto command = parse_command_line({name, "--help"});
    ASSERT_TRUE(command) << name;
    EXPECT_THAT(std::get<HelpText>(*command).text, HasSubstr("petri " + std::string(name)));
  }
}

TEST(CommandLine, ReadsEveryOptionOfEvaluate) {
  const auto command = parse_command_line(
      {"evaluate",      "a.wat",     "--function", "f",         "--cases", "c.json",      "pop",
       "--instances",   "per_case",  "--fuel",     "10",        "--tier",  "interpreted", "--all-cases",
       "--force",       "--workers", "2",          "--seed",    "7",       "--top",       "0",
       "--no-receipts", "--records", "out.jsonl",  "--timings", "t.jsonl", "--quiet",     "--json",
       "--timeout",     "1s",        "[b,c].wasm"});
  ASSERT_TRUE(command) << command.error().message;
  const auto& options = std::get<EvaluateOptions>(*command);
  EXPECT_THAT(options.candidates, ElementsAre("a.wat", "pop", "[b,c].wasm"));
  EXPECT_EQ(options.function, "f");
  EXPECT_EQ(options.cases, "c.json");
  EXPECT_EQ(options.instances, Instances::per_case);
  EXPECT_EQ(options.limits.fuel_max, 10U);
  EXPECT_EQ(options.limits.execution_time_max, 1s);
  EXPECT_EQ(options.limits.memory_bytes_max, EvaluationSpec{}.memory_bytes_max);
  EXPECT_EQ(options.tier, Tier::interpreted);
  EXPECT_EQ(options.workers, 2U);
  EXPECT_EQ(options.seed, 7U);
  EXPECT_EQ(options.top, 0U);
  EXPECT_EQ(options.records, "out.jsonl");
  EXPECT_EQ(options.timings, "t.jsonl");
  EXPECT_TRUE(options.all_cases && options.force && options.no_receipts && options.quiet && options.json);
}

TEST(CommandLine, ReadsEveryOptionOfVerify) {
  const auto command = parse_command_line({"verify", "out.jsonl", "--tier", "compiled", "--sample", "9",
                                           "--sample-seed", "3", "--workers", "4", "--quiet", "--json"});
  ASSERT_TRUE(command) << command.error().message;
  const auto& options = std::get<VerifyFileOptions>(*command);
  EXPECT_EQ(options.file, "out.jsonl");
  EXPECT_EQ(options.tier, Tier::compiled);
  EXPECT_EQ(options.sample, 9U);
  EXPECT_EQ(options.sample_seed, 3U);
  EXPECT_EQ(options.workers, 4U);
  EXPECT_TRUE(options.quiet && options.json);
}

TEST(CommandLine, DistinguishesAMisspeltOptionOfEvaluateFromACandidate) {
  EXPECT_EQ(refusal({"evaluate", "a.wat", "--function", "f", "--cases", "c.json", "b.wat", "--recrods", "out.jsonl"}),
            "there is no option \"--recrods\"; did you mean --records?; see petri evaluate --help");
}

}  // namespace
}  // namespace petri::cli
