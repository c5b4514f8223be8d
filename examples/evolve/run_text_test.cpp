#include "evolve/run_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evolve/screen.h"
#include "evolve/sorting_network.h"

namespace evolve {
namespace {

using testing::HasSubstr;

TEST(RunText, GroupsDigitsByThousands) {
  EXPECT_EQ(with_commas(0), "0");
  EXPECT_EQ(with_commas(999), "999");
  EXPECT_EQ(with_commas(1'000), "1,000");
  EXPECT_EQ(with_commas(1'234'567), "1,234,567");
}

TEST(RunText, NamesTheOutcomesThatHappened) {
  Tally tally;
  tally.outcomes[static_cast<std::size_t>(petri::OutcomeKind::ok)] = 2'000;
  tally.outcomes[static_cast<std::size_t>(petri::OutcomeKind::out_of_fuel)] = 3;
  tally.errors = 1;

  EXPECT_EQ(outcomes_text(tally), "ok 2,000  out_of_fuel 3  errors 1");
}

TEST(RunText, ShowsNumbersAndThePictureOfTheBest) {
  SortingNetwork problem(4, 1);
  const auto end = run_generations(problem, {.budget = 20'000}).value();

  const auto lines = moment(problem, end.tally);

  EXPECT_THAT(lines, testing::Contains("best       5 comparators, all 16 sequences sorted"));
  EXPECT_THAT(lines.back(), HasSubstr("●"));
  EXPECT_THAT(ending(problem, end), testing::StartsWith("Solved after "));
}

TEST(RunText, SaysWhatToDoWithTheRecords) {
  EXPECT_THAT(next_steps("run.jsonl"), testing::Contains(HasSubstr("petri verify run.jsonl")));
  EXPECT_THAT(next_steps(""), testing::Each(HasSubstr("--records FILE")));
}

TEST(RunText, SaysAsJsonWhetherItIsSolved) {
  SortingNetwork problem(4, 1);
  const auto end = run_generations(problem, {.budget = 20'000}).value();

  EXPECT_THAT(to_json(problem, {.seed = 1, .end = end}),
              testing::AllOf(HasSubstr(R"("seed":1,"solved":true)"), HasSubstr(R"("score":5.0)")));
}

TEST(Screen, CutsTextAtAColumnAndNotInsideACharacter) {
  EXPECT_EQ(cut("──●─", 3), "──●");
  EXPECT_EQ(cut("abc", 10), "abc");
  EXPECT_EQ(cut("abc", 0), "");
}

TEST(Screen, DrawsOverWhatItShowed) {
  EXPECT_EQ(redraw({"one", "two"}, 0, {.rows = 24, .columns = 80}), "one\ntwo\n");
  EXPECT_EQ(redraw({"three"}, 2, {.rows = 24, .columns = 80}), "\x1b[2A\r\x1b[Jthree\n");
}

TEST(Screen, KnowsWhenSomethingDoesNotFit) {
  EXPECT_TRUE(fits({"──●", "two"}, {.rows = 3, .columns = 4}));
  EXPECT_FALSE(fits({"one", "two"}, {.rows = 2, .columns = 4}));
  EXPECT_FALSE(fits({"four"}, {.rows = 3, .columns = 4}));
}

TEST(Screen, LeavesOutLinesThatDoNotFit) {
  EXPECT_EQ(redraw({"a", "b", "c"}, 0, {.rows = 3, .columns = 80}), "a\nb\n");
}

}  // namespace
}  // namespace evolve
