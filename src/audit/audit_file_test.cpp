#include "audit/audit_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "audit/audit_fixture.h"

namespace petri {
namespace {

using testing::HasSubstr;

Error refusal(const TestFile& file) {
  const ManualClock clock;
  const auto log = AuditLog::create({.file = file.path()}, clock);
  EXPECT_FALSE(log);
  return log ? Error{} : log.error();
}

TEST(AuditFile, ContinuesWhereItsChainEnded) {
  const TestFile file;
  for (const int entries : {0, 1, 1, 3}) file_with(file, entries);
  const auto verification = verify_audit_file(file.path());
  ASSERT_TRUE(verification);
  EXPECT_EQ(verification->fault, std::nullopt);
  EXPECT_EQ(verification->entries, 5U);
}

// Three gibibytes without a line end were read backwards, 14 s long.
TEST(AuditFile, IsNotLookedForInALineThatIsTooLong) {
  const TestFile file;
  for (const std::string& start : {std::string(), file_with(file, 3)}) {
    file.write(start);
    ASSERT_EQ(::truncate(file.path().c_str(), std::int64_t{1} << 40), 0);
    EXPECT_EQ(refusal(file).code, ErrorCode::parse_failed);
    EXPECT_EQ(refusal(file).message,
              file.path() + ": nothing is added to this file: its last line is longer than any line of an audit file");
  }
}

TEST(AuditFile, ContinuesAfterALineThatIsCutOff) {
  const TestFile file;
  const std::string text = file_with(file, 3);
  const std::size_t whole = text.rfind('\n', text.size() - 2) + 1;
  for (const std::size_t size : {whole + 1, whole + 50, text.size() - 1}) {
    file.write(text.substr(0, size));
    file_with(file, 1);
    EXPECT_EQ(verify_audit_file(file.path())->fault, std::nullopt) << size;
    EXPECT_EQ(verify_audit_file(file.path())->entries, 3U) << size;
  }
}

TEST(AuditFile, StartsAgainWhereNotEvenItsFirstLineIsComplete) {
  const TestFile file;
  const std::string text = file_with(file, 0);
  for (const std::size_t size : {std::size_t{0}, std::size_t{5}, text.size() - 1}) {
    file.write(text.substr(0, size));
    file_with(file, 2);
    EXPECT_EQ(verify_audit_file(file.path())->entries, 2U) << size;
  }
}

TEST(AuditFile, IsLeftAsItIsWhenItIsAnother) {
  const TestFile file;
  for (const std::string_view text :
       {"important\n", "important", "{\"petri_records\":1}\n{}\n", "\n", "{\"petri_audit\":1}\n"}) {
    file.write(text);
    const Error error = refusal(file);
    EXPECT_EQ(error.code, ErrorCode::parse_failed) << text;
    EXPECT_THAT(error.message, HasSubstr("nothing is added to this file: line 1: it does not begin an audit file"));
    EXPECT_EQ(error.detail("path"), file.path());
    EXPECT_EQ(file.read(), text);
  }
}

TEST(AuditFile, IsLeftAsItIsWhenItsEndWasTamperedWith) {
  const TestFile file;
  const std::vector<std::string> lines = lines_of(file_with(file, 4));
  auto changed = lines;
  changed[4].replace(changed[4].find("clock"), 5, "sleep");
  auto swapped = lines;
  std::swap(swapped[3], swapped[4]);
  auto removed = lines;
  removed.erase(removed.begin() + 3);
  auto foreign = lines;
  foreign.emplace_back("{}");
  auto first_gone = std::vector<std::string>{lines[0], lines[2]};
  auto earlier = lines;
  earlier[0][earlier[0].find("2023") + 3] = '2';
  for (const auto& tampered : {changed, swapped, removed, foreign, first_gone, earlier}) {
    file.write(text_of(tampered));
    EXPECT_EQ(refusal(file).code, ErrorCode::parse_failed);
    EXPECT_EQ(file.read(), text_of(tampered));
  }
}

TEST(AuditFile, IsWrittenByOneLogAtATime) {
  const TestFile file;
  const TestLog first({.file = file.path()});
  EXPECT_EQ(refusal(file).code, ErrorCode::busy);
}

TEST(AuditFile, IsNotWrittenWhereThatIsNotAllowed) {
  const TestFile file;
  file_with(file, 1);
  ::chmod(file.path().c_str(), 0444);
  const uid_t user = ::geteuid();
  ASSERT_EQ(::seteuid(user == 0 ? 65'534 : user), 0) << "root may write everything";
  const Error error = refusal(file);
  ASSERT_EQ(::seteuid(user), 0);
  EXPECT_EQ(error.code, ErrorCode::io_error);
  EXPECT_THAT(error.message, HasSubstr("the file cannot be written: it is not allowed here"));
}

TEST(AuditFile, IsRefusedWhenNotEvenItsFirstLineFits) {
  const TestFile file;
  const FileSizeLimit limit(50);
  EXPECT_EQ(refusal(file).code, ErrorCode::io_error);
}

}  // namespace
}  // namespace petri
