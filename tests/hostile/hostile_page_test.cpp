#include "hostile/hostile_page.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace petri {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json started(const std::string& test, int seed) {
  return {{"fact", "begin"}, {"test", test}, {"seed", seed}};
}

nlohmann::json ended(const std::string& test, int seed, bool passed, std::vector<std::string> ids) {
  LatencyHistogram trap;
  trap.add(std::chrono::milliseconds(2));
  return {{"fact", "end"},
          {"test", test},
          {"seed", seed},
          {"passed", passed},
          {"skipped", false},
          {"failure", passed ? "" : "expected\nsomething else"},
          {"ids", ids},
          {"missed_canaries", passed ? 0 : 1},
          {"resident_before", 10 << 20},
          {"resident_after", (10 + seed) << 20},
          {"latencies", {{"trap", trap.to_json()}}}};
}

TEST(HostileTotals, CountEachCaseOfEachCopy) {
  HostileTotals totals;
  const HostileSetting& at_once = hostile_settings()[2];
  EXPECT_FALSE(
      add_facts(totals, at_once, Tier::compiled,
                {started("t", 1), ended("t", 1, true, {"A01", "A02"}), started("t", 2), ended("t", 2, true, {"A01"})}));
  EXPECT_EQ(totals.runs, 200U);
  EXPECT_EQ(totals.cases["A01"].runs[at_once.name], 200U);
  EXPECT_EQ(totals.cases["A02"].runs[at_once.name], 100U);
  ASSERT_EQ(totals.processes.size(), 1U);
  EXPECT_EQ(totals.processes[0].resident_start, 10U << 20);
  EXPECT_EQ(totals.processes[0].resident_end, 12U << 20);
  EXPECT_EQ(totals.processes[0].growth_max, 2 << 20);
}

TEST(HostileTotals, TellWhereTheProcessDied) {
  HostileTotals totals;
  const auto died = add_facts(totals, hostile_settings()[0], Tier::automatic,
                              {started("t", 7), ended("t", 7, true, {"A01"}), started("deadly", 8)});
  EXPECT_EQ(died, 8U);
  ASSERT_EQ(totals.deaths.size(), 1U);
  EXPECT_THAT(totals.deaths[0], HasSubstr("deadly (alone, automatic, seed 8)"));
}

TEST(HostilePage, ListsWhatFailedAndOnlyThen) {
  HostileTotals totals;
  add_facts(totals, hostile_settings()[0], Tier::compiled, {started("t", 1), ended("t", 1, true, {"B01"})});
  EXPECT_THAT(hostile_page(totals, {}), Not(HasSubstr("## Failed cases")));
  EXPECT_THAT(closing_line(totals), HasSubstr("0 deaths of the process, 0 missed canaries, 0 failed cases"));
  add_facts(totals, hostile_settings()[0], Tier::compiled, {started("t", 1), ended("t", 1, false, {"B01"})});
  const std::string page = hostile_page(totals, {});
  EXPECT_THAT(page, HasSubstr("- t (alone, compiled, seed 1): expected something else\n"));
  EXPECT_THAT(page, HasSubstr("| B01 | 2 | – | – | 1 | 0 |"));
  EXPECT_THAT(closing_line(totals), HasSubstr("1 missed canaries, 1 failed cases"));
}

nlohmann::json judged(int seed, std::uint64_t failed, const std::string& signature) {
  nlohmann::json fact = ended("t", seed, true, {"A01"});
  fact["oracle"] = {{"V2", {{"checked", 1'200}, {"failed", failed}, {"first", failed == 0 ? "" : "trap took 9 ms"}}}};
  fact["signature"] = {signature};
  return fact;
}

TEST(HostilePage, SaysOfEachLineOfTheOracleHowOftenItFailed) {
  HostileTotals totals;
  const HostileSetting& at_once = hostile_settings()[2];
  add_facts(totals, at_once, Tier::compiled, {started("t", 1), judged(1, 727, "trapped")});
  const std::string page = hostile_page(totals, {});
  EXPECT_THAT(page, HasSubstr("looked at 1,201 times, and 727 times a line of it did not hold (V2 727).**"));
  EXPECT_THAT(page, HasSubstr("| A01 | – | – | 100 | 0 | 727 |"));
  EXPECT_THAT(page, HasSubstr(" – | – | 727 of 1,200 | trap took 9 ms |"));
  EXPECT_THAT(closing_line(totals), HasSubstr("727 of 1,201 looks at the oracle failed (V2 727)"));
}

TEST(HostilePage, CountsMemoryThatStaysAndCanariesThatSlowDown) {
  HostileTotals totals;
  const HostileSetting& at_once = hostile_settings()[2];
  nlohmann::json last = ended("t", 2, true, {"A01"});
  last["resident_after"] = 60 << 20;
  LatencyHistogram idle, busy;
  idle.add(std::chrono::milliseconds(1));
  busy.add(std::chrono::milliseconds(5));
  last["latencies"] = {{"idle_canary", idle.to_json()}, {"canary", busy.to_json()}};
  add_facts(totals, at_once, Tier::compiled, {started("t", 1), ended("t", 1, true, {"A01"}), started("t", 2), last});
  const std::string page = hostile_page(totals, {});
  EXPECT_THAT(page, HasSubstr(" – | – | 1 of 1 | 50 MiB more are resident at the end (compiled) |"));
  EXPECT_THAT(page, HasSubstr(" – | – | 1 of 1 | p99 of the canaries is more than twice the idle one |"));
  EXPECT_THAT(closing_line(totals), HasSubstr("2 of 2 looks at the oracle failed (V4 1, V5 1)"));
}

TEST(HostilePage, PutsTheTiersBesideOneAnother) {
  HostileTotals totals;
  const HostileSetting& alone = hostile_settings()[0];
  add_facts(totals, alone, Tier::compiled,
            {started("t", 1), judged(1, 0, "trapped"), started("t", 2), judged(2, 0, "a")});
  add_facts(totals, alone, Tier::interpreted,
            {started("t", 1), judged(1, 0, "trapped"), started("t", 2), judged(2, 0, "b")});
  EXPECT_THAT(hostile_page(totals, {}), HasSubstr(" 1 of 2 | – | – | t (seed 2) |"));
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::set<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::set<std::string> all;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match)
    all.insert((*match)[1]);
  return all;
}

// The page that is kept is one of this suite: a case that is new or gone needs a new `make hostile`.
TEST(HostilePage, HasTheCasesOfTheSuite) {
  const std::filesystem::path tests = PETRI_TESTS_FOLDER;
  std::set<std::string> covered;
  for (const auto& file : std::filesystem::directory_iterator(tests / "hostile")) {
    if (!file.path().filename().string().ends_with("_test.cpp")) continue;
    for (const std::string& ids : matches(text_of(file.path()), std::regex(R"re(covers\("([A-Z0-9 ]+)"\))re")))
      covered.merge(matches(ids, std::regex("([A-Z][0-9]{2})")));
  }
  EXPECT_EQ(matches(text_of(tests / "../docs/hostile.md"), std::regex("\n\\| ([A-Z][0-9]{2}) \\|")), covered);
}

}  // namespace
}  // namespace petri
