#include "report/backward_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/candidate_set_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;

std::vector<std::string> lines_of(std::string_view text) {
  const TestFile file;
  file.write(text);
  std::vector<std::string> found;
  const auto lines = BackwardLines::open(file.path());
  for (;;) {
    const auto line = (*lines)->next();
    if (!line || !*line) return found;
    found.emplace_back(**line);
  }
}

TEST(BackwardLines, ComeFromTheLastToTheFirst) {
  EXPECT_THAT(lines_of("one\ntwo\n\nfour\n"), ElementsAre("four", "", "two", "one"));
}

TEST(BackwardLines, LeaveOutWhatHasNoEnd) {
  EXPECT_THAT(lines_of("one\ntwo\nthr"), ElementsAre("two", "one"));
  EXPECT_THAT(lines_of("one"), ElementsAre());
  EXPECT_THAT(lines_of(""), ElementsAre());
}

TEST(BackwardLines, MayBeLongerThanThePiecesThatAreRead) {
  const std::string large(3'000'000, 'a');
  const std::vector<std::string> lines = lines_of("first\n" + large + "\nlast\n");
  ASSERT_EQ(lines.size(), 3U);
  EXPECT_EQ(lines[1], large);
  EXPECT_EQ(lines[2], "first");
}

TEST(BackwardLines, CannotBeReadFromAFileThatIsNotThere) {
  const auto lines = BackwardLines::open("no/such/file");
  ASSERT_FALSE(lines);
  EXPECT_EQ(lines.error().code, ErrorCode::io_error);
}

}  // namespace
}  // namespace petri
