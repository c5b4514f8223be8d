#include "evaluation/line_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "evaluation/population_fixture.h"

namespace petri {
namespace {

using testing::HasSubstr;

TEST(LineFile, IsReadBackLineByLine) {
  const TestFile file;
  const std::string large(3 << 20, 'x');
  auto written = *LineFile::create(file.path());
  ASSERT_TRUE(written->append("one\n\n"));
  ASSERT_TRUE(written->append(large + "\nlast\n"));
  ASSERT_TRUE(written->close());
  auto reader = *LineReader::open(file.path());
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(**reader->next(), "one");
    EXPECT_EQ(**reader->next(), "");
    EXPECT_EQ(**reader->next(), large);
    EXPECT_EQ(**reader->next(), "last");
    EXPECT_EQ(reader->line(), 4U);
    EXPECT_FALSE(*reader->next());
    ASSERT_TRUE(reader->rewind());
  }
}

TEST(LineFile, TellsOfALineThatIsCutOff) {
  const TestFile file;
  file.write("one\ntw");
  auto reader = *LineReader::open(file.path());
  ASSERT_TRUE(reader->next());
  const auto cut = reader->next();
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::parse_failed);
  EXPECT_EQ(cut.error().detail("line"), "2");
}

TEST(LineFile, FailsForGoodOnceALineIsLost) {
  auto full = *LineFile::create("/dev/full");
  const auto failed = full->append("line\n");
  ASSERT_FALSE(failed);
  EXPECT_THAT(failed.error().message, HasSubstr("the disk is full"));
  EXPECT_FALSE(full->append("line\n"));
  EXPECT_FALSE(full->close());
}

TEST(LineFile, KeepsTheWholeLinesOfAWriteThatIsCutShort) {
  const TestFile file;
  auto written = *LineFile::create(file.path());
  ASSERT_TRUE(written->append("one\n"));
  {
    const FileSizeLimit limit(12);
    EXPECT_FALSE(written->append("two\nthree\n"));
  }
  EXPECT_EQ(written->lines(), 2U);
  EXPECT_EQ(file.read(), "one\ntwo\n");
}

TEST(LineFile, IsNotWrittenAfterItIsClosed) {
  const TestFile file;
  auto written = *LineFile::create(file.path());
  ASSERT_TRUE(written->close());
  EXPECT_EQ(written->append("x\n").error().code, ErrorCode::io_error);
}

TEST(LineFile, NamesThePathThatCannotBe) {
  const auto created = LineFile::create("/no/such/folder/file");
  ASSERT_FALSE(created);
  EXPECT_THAT(created.error().message, HasSubstr("/no/such/folder/file"));
  EXPECT_EQ(LineFile::create(std::string("a\0b", 3)).error().code, ErrorCode::io_error);
  EXPECT_EQ(LineReader::open("/dev/null").error().code, ErrorCode::io_error);
}

}  // namespace
}  // namespace petri
