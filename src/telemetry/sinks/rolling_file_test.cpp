#include "telemetry/sinks/rolling_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files/test_file.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

class RollingFileTest : public ::testing::Test {
 protected:
  void open(std::uint64_t bytes_max = 10) { rolling = std::move(*RollingFile::open(file.path(), bytes_max)); }

  TestFile file{"events"}, aside{"events.1"};
  std::unique_ptr<RollingFile> rolling;
};

TEST_F(RollingFileTest, IsSetAsideByTheLineThatFindsNoRoom) {
  open();
  for (const char* line : {"one\n", "two\n"}) EXPECT_TRUE(rolling->append(line));
  EXPECT_EQ(file.read(), "one\ntwo\n");
  EXPECT_TRUE(rolling->append("three\n"));
  EXPECT_EQ(file.read(), "three\n");
  EXPECT_EQ(aside.read(), "one\ntwo\n");
}

TEST_F(RollingFileTest, KeepsOnlyTheLastThatWasSetAside) {
  open();
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(rolling->append("12345678\n"));
  EXPECT_TRUE(rolling->append("end\n"));
  EXPECT_EQ(file.read(), "end\n");
  EXPECT_EQ(aside.read(), "12345678\n");
}

TEST_F(RollingFileTest, WritesALineThatIsTooLongForAnyFileAlone) {
  open();
  for (const char* line : {"1\n", "a long line, longer than a file\n", "2\n"}) EXPECT_TRUE(rolling->append(line));
  EXPECT_EQ(file.read(), "2\n");
  EXPECT_EQ(aside.read(), "a long line, longer than a file\n");
}

TEST_F(RollingFileTest, AppendsToWhatIsThere) {
  file.write("one\ntwo\ncut o");
  open();
  EXPECT_TRUE(rolling->append("3\n"));
  EXPECT_EQ(file.read(), "one\ntwo\n3\n");
  EXPECT_TRUE(rolling->append("4\n"));
  EXPECT_EQ(aside.read(), "one\ntwo\n3\n");
}

TEST_F(RollingFileTest, TriesAgainAfterAFailure) {
  open(100);
  EXPECT_TRUE(rolling->append("one\n"));
  {
    const FileSizeLimit full(6);
    EXPECT_FALSE(rolling->append("two\n"));
    EXPECT_FALSE(rolling->append("two\n"));
  }
  EXPECT_TRUE(rolling->append("three\n"));
  EXPECT_EQ(file.read(), "one\nthree\n");
}

TEST_F(RollingFileTest, StaysAsItIsWhileItCannotBeSetAside) {
  open();
  EXPECT_TRUE(rolling->append("12345678\n"));
  ASSERT_EQ(::mkdir(aside.path().c_str(), 0700), 0);
  const auto failed = rolling->append("next\n");
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().code, ErrorCode::io_error);
  EXPECT_THAT(failed.error().message, HasSubstr(file.path() + ": the file is full and cannot be set aside"));
  EXPECT_EQ(file.read(), "12345678\n");
  ASSERT_EQ(::rmdir(aside.path().c_str()), 0);
  EXPECT_TRUE(rolling->append("next\n"));
  EXPECT_EQ(file.read(), "next\n");
}

TEST_F(RollingFileTest, StartsANewOneWhenSomebodyTookAFullOneAway) {
  open();
  EXPECT_TRUE(rolling->append("12345678\n"));
  ASSERT_EQ(::unlink(file.path().c_str()), 0);
  EXPECT_TRUE(rolling->append("next\n"));
  EXPECT_EQ(file.read(), "next\n");
}

TEST_F(RollingFileTest, MayBeOpenedByOthersOnceItIsClosed) {
  open();
  EXPECT_EQ(RollingFile::open(file.path(), 10).error().code, ErrorCode::busy);
  EXPECT_TRUE(rolling->close());
  EXPECT_TRUE(rolling->close());
  EXPECT_TRUE(RollingFile::open(file.path(), 10));
}

}  // namespace
}  // namespace petri
