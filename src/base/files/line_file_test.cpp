#include "base/files/line_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files/test_file.h"

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
  for (int round = 0; round < 2; ++round) {
    auto reader = *LineReader::open(file.path());
    EXPECT_EQ(**reader->next(), "one");
    EXPECT_EQ(**reader->next(), "");
    EXPECT_EQ(**reader->next(), large);
    EXPECT_EQ(**reader->next(), "last");
    EXPECT_EQ(reader->line(), 4U);
    EXPECT_FALSE(*reader->next());
  }
}

TEST(LineFile, OfBytesIsReadBackByTheLengthsOfItsLines) {
  const TestFile file;
  const std::string large(3 << 20, '\n');
  std::string lines;
  for (const std::string& line : {std::string("o\nne"), std::string(), large}) {
    append_framed_line(lines, line);
  }
  EXPECT_EQ(lines.substr(0, 12), std::string("\0\0\0\4o\nne\0\0\0\0", 12));
  auto written = *LineFile::create(file.path(), Framing::lengths);
  ASSERT_TRUE(written->append(lines));
  EXPECT_EQ(written->lines(), 3U);
  EXPECT_EQ(written->bytes(), lines.size());
  ASSERT_TRUE(written->close());
  auto reader = *LineReader::open(file.path());
  EXPECT_FALSE(*reader->starts_with_bytes("one"));
  EXPECT_TRUE(*reader->starts_with_bytes(lines.substr(0, 12)));
  reader->set_framing(Framing::lengths);
  EXPECT_EQ(**reader->next(), "o\nne");
  EXPECT_EQ(reader->framed_line(), lines.substr(0, 8));
  EXPECT_EQ(**reader->next(), "");
  EXPECT_EQ(**reader->next(), large);
  EXPECT_EQ(reader->line(), 3U);
  EXPECT_FALSE(*reader->next());
}

TEST(LineFile, OfBytesThatIsCutOffOrTooLongIsNamedByItsLine) {
  const TestFile file;
  file.write(std::string("\0\0\0\1a\0\0\0\3bc", 11));
  auto reader = *LineReader::open(file.path());
  reader->set_framing(Framing::lengths);
  ASSERT_TRUE(reader->next());
  const auto cut = reader->next();
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::parse_failed);
  EXPECT_EQ(cut.error().message, file.path() + ": line 2 is cut off: the file was not written to its end");
  reader = *LineReader::open(file.path());
  reader->set_framing(Framing::lengths);
  reader->set_line_bytes_max(2);
  ASSERT_TRUE(reader->next());
  const auto long_one = reader->next();
  ASSERT_FALSE(long_one);
  EXPECT_EQ(long_one.error().code, ErrorCode::too_large);
  EXPECT_EQ(long_one.error().message, file.path() + ": line 2 is too long");
}

TEST(LineFile, ReportsALineThatIsCutOff) {
  const TestFile file;
  file.write("one\ntw");
  auto reader = *LineReader::open(file.path());
  ASSERT_TRUE(reader->next());
  const auto cut = reader->next();
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, ErrorCode::parse_failed);
  EXPECT_EQ(cut.error().detail("line"), "2");
}

TEST(LineFile, IsNotResumedAfterALineThatIsTooLong) {
  const TestFile file;
  file.write("one\n" + std::string(200'000, 'x'));
  EXPECT_EQ((*LineFile::resume(file.path(), 200'000))->bytes(), 4U);
  const auto refused = LineFile::resume(file.path(), 65'536);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(refused.error().message,
            file.path() + ": the file cannot be written: its last line has more than 64 KiB; name another file");
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

TEST(LineFile, IsAppendedToAfterItsLastCompleteLine) {
  const TestFile file;
  const std::string large(200 << 10, 'x');
  for (const std::string_view before : {"", "one\n", "one\ntwo\n"}) {
    file.write(std::string(before) + large);
    auto resumed = *LineFile::resume(file.path());
    EXPECT_EQ(resumed->bytes(), before.size());
    EXPECT_EQ(file.read(), std::string(before) + large) << "nothing is cut before something is written";
    ASSERT_TRUE(resumed->append("last\n"));
    EXPECT_EQ(resumed->lines(), 1U);
    EXPECT_EQ(file.read(), std::string(before) + "last\n");
  }
}

TEST(LineFile, IsCreatedWhenThereIsNothingToAppendTo) {
  const TestFile file;
  ASSERT_TRUE((*LineFile::resume(file.path()))->append("one\n"));
  EXPECT_EQ(file.read(), "one\n");
}

TEST(LineFile, IsAppendedToByOneAtATime) {
  const TestFile file;
  auto first = *LineFile::resume(file.path());
  const auto second = LineFile::resume(file.path());
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, ErrorCode::busy);
  EXPECT_THAT(second.error().message, HasSubstr("somebody else is writing it"));
  first.reset();
  EXPECT_TRUE(LineFile::resume(file.path()));
}

TEST(LineFile, IsNotAppendedToWhereItIsNoRegularFile) {
  for (const char* path : {"/dev/full", "/dev/null", "/tmp", "/no/such/folder/file"})
    EXPECT_EQ(LineFile::resume(path).error().code, ErrorCode::io_error) << path;
  EXPECT_EQ(LineFile::resume(std::string("a\0b", 3)).error().code, ErrorCode::io_error);
}

TEST(LineFile, IsTriedAgainWhenAsked) {
  const TestFile file;
  auto written = *LineFile::resume(file.path());
  {
    const FileSizeLimit limit(6);
    EXPECT_FALSE(written->append("one\ntwo\n"));
    EXPECT_FALSE(written->append("two\n"));
  }
  EXPECT_FALSE(written->append("two\n"));
  written->retry();
  ASSERT_TRUE(written->append("two\n"));
  ASSERT_TRUE(written->sync());
  EXPECT_EQ(file.read(), "one\ntwo\n");
}

TEST(LineFile, MayHaveNoLineThatIsTooLong) {
  const TestFile file;
  file.write("four\nfive5\nsix");
  auto reader = *LineReader::open(file.path(), 4);
  EXPECT_EQ(**reader->next(), "four");
  const auto refused = reader->next();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::too_large);
  EXPECT_EQ(refused.error().detail("line"), "2");
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
