#include "audit/chain_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/audit_fixture.h"

namespace petri {
namespace {

using testing::HasSubstr;

AuditVerification verified(const TestFile& file, const std::vector<std::string>& lines) {
  file.write(text_of(lines));
  auto verification = verify_audit_file(file.path());
  EXPECT_TRUE(verification) << verification.error().message;
  return verification ? *std::move(verification) : AuditVerification{};
}

// Verifies many lines without a file.
AuditVerification followed(const std::vector<std::string>& lines) {
  ChainReader chain(begin_chain(lines.front())->end, 1);
  AuditVerification verification;
  for (std::size_t at = 1; at < lines.size() && !verification.fault; ++at) verification.fault = chain.check(lines[at]);
  verification.entries = chain.end().number;
  return verification;
}

TEST(AuditChain, IsVerifiedAsItWasWritten) {
  const TestFile file;
  const std::vector<std::string> lines = lines_of(file_with(file, 20));
  ASSERT_EQ(lines.size(), 21U);
  const AuditVerification verification = verified(file, lines);
  EXPECT_EQ(verification.fault, std::nullopt);
  EXPECT_EQ(verification.entries, 20U);
  EXPECT_EQ(verification.last_hash, split_seal(lines.back())->hash);
}

// P13
TEST(AuditChain, ShowsAChangeOfAnyByteOfAnyEntry) {
  const TestFile file;
  const std::vector<std::string> lines = lines_of(file_with(file, 3));
  for (std::size_t at = 1; at < lines.size(); ++at) {
    for (std::size_t byte = 0; byte < lines[at].size(); ++byte) {
      for (const int bit : {0x01, 0x20, 0x80}) {  // 0x20: a hash in upper case is another text
        auto changed = lines;
        changed[at][byte] = static_cast<char>(changed[at][byte] ^ bit);
        const auto fault = followed(changed).fault;
        ASSERT_TRUE(fault) << changed[at];
        EXPECT_EQ(fault->line, at + 1) << changed[at];
      }
    }
  }
}

TEST(AuditChain, ShowsAChangeOfItsFirstLine) {
  const TestFile file;
  auto lines = lines_of(file_with(file, 2));
  lines[0][lines[0].find("2023") + 3] = '4';
  const AuditVerification verification = verified(file, lines);
  EXPECT_EQ(verification.fault, (AuditFault{AuditFaultKind::wrong_hash, 1, "its hash is not that of its text"}));
  EXPECT_EQ(verification.entries, 0U);
}

// P13
TEST(AuditChain, NamesTheLineAfterAnEntryThatIsMissing) {
  const TestFile file;
  const std::vector<std::string> lines = lines_of(file_with(file, 6));
  for (std::size_t at = 1; at + 1 < lines.size(); ++at) {
    auto changed = lines;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(at));
    const AuditVerification verification = followed(changed);
    ASSERT_TRUE(verification.fault);
    EXPECT_EQ(verification.fault->line, at + 1);
    EXPECT_EQ(verification.fault->kind, AuditFaultKind::wrong_order);
    EXPECT_EQ(verification.fault->message, fmt::format("its number is {}: entry {} is missing before it", at + 1, at));
    EXPECT_EQ(verification.entries, at - 1);
  }
}

// P13
TEST(AuditChain, NamesTheFirstOfTwoThatAreSwapped) {
  const TestFile file;
  const std::vector<std::string> lines = lines_of(file_with(file, 6));
  for (std::size_t at = 1; at + 1 < lines.size(); ++at) {
    auto changed = lines;
    std::swap(changed[at], changed[at + 1]);
    EXPECT_EQ(followed(changed).fault->line, at + 1);
    EXPECT_EQ(followed(changed).fault->kind, AuditFaultKind::wrong_order);
  }
}

TEST(AuditChain, ShowsAnEntryThatWasMadeAnew) {
  const TestFile file;
  auto lines = lines_of(file_with(file, 4));
  ChainLine forged;
  std::string& text = forged.begin(split_seal(lines[1])->hash);
  std::string body(split_seal(lines[2])->body);
  text.append(body.replace(body.find("\"clock\""), 7, "\"sleep\""));
  forged.seal();
  lines[2] = forged.text().substr(0, forged.text().size() - 1);
  const auto fault = verified(file, lines).fault;
  ASSERT_TRUE(fault);
  EXPECT_EQ(fault->line, 4U) << "the one that was forged is right in itself; the next does not follow from it";
  EXPECT_EQ(fault->kind, AuditFaultKind::wrong_hash);
}

TEST(AuditChain, DistinguishesWhatIsNoEntryFromWhatIsNoJson) {
  const TestFile file;
  const std::vector<std::string> lines = lines_of(file_with(file, 2));
  const auto fault_with = [&](std::string_view line) {
    auto changed = lines;
    changed[1] = line;
    return verified(file, changed).fault.value().kind;
  };
  EXPECT_EQ(fault_with("{}"), AuditFaultKind::not_an_entry);
  EXPECT_EQ(fault_with(lines[0]), AuditFaultKind::not_an_entry);
  EXPECT_EQ(fault_with(""), AuditFaultKind::not_json);
  EXPECT_EQ(fault_with("rm -rf"), AuditFaultKind::not_json);
  EXPECT_EQ(fault_with(std::string(kAuditLineBytesMax + 1, ' ')), AuditFaultKind::not_an_entry);
}

TEST(AuditChain, EndsWhereALineIsCutOff) {
  const TestFile file;
  const std::string text = file_with(file, 3);
  file.write(text.substr(0, text.size() - 1));
  const auto verification = verify_audit_file(file.path());
  ASSERT_TRUE(verification);
  EXPECT_EQ(verification->entries, 2U);
  EXPECT_EQ(verification->fault->line, 4U);
  EXPECT_EQ(verification->fault->kind, AuditFaultKind::cut_off);
}

TEST(AuditChain, ShowsAnEndThatIsGoneToWhoeverKeptItsHash) {
  const TestFile file;
  auto lines = lines_of(file_with(file, 3));
  const Sha256 kept = split_seal(lines[3])->hash;
  EXPECT_TRUE(verify_audit_file(file.path(), kept)->contains);
  EXPECT_TRUE(verify_audit_file(file.path(), split_seal(lines[0])->hash)->contains);
  EXPECT_FALSE(verify_audit_file(file.path())->contains);
  lines.pop_back();
  file.write(text_of(lines));
  EXPECT_FALSE(verify_audit_file(file.path(), kept)->contains);
}

TEST(AuditChain, IsNotLookedForInOtherFiles) {
  const TestFile file;
  const auto refused = [&file](std::string_view text) {
    file.write(text);
    const auto verification = verify_audit_file(file.path());
    EXPECT_FALSE(verification);
    return verification ? Error{} : verification.error();
  };
  const auto lines = lines_of(file_with(file, 1));
  EXPECT_THAT(refused("").message, HasSubstr("the file is empty"));
  EXPECT_THAT(refused("{\"petri_records\":1}\n").message, HasSubstr("line 1: it does not begin an audit file"));
  EXPECT_THAT(refused(lines[1] + "\n").message, HasSubstr("line 1: it does not begin an audit file"));
  EXPECT_THAT(refused(std::string(1 << 20, 'x')).message, HasSubstr("line 1: it does not begin an audit file"));
  EXPECT_EQ(refused(lines[0]).code, ErrorCode::parse_failed) << "a first line that is cut off";
  std::string newer = lines[0];
  newer[std::string_view("{\"petri_audit\":").size()] = '2';
  EXPECT_THAT(refused(newer + "\n").message, HasSubstr("of version 2, and this petri reads version 1"));
  EXPECT_EQ(verify_audit_file("/no/such/file").error().code, ErrorCode::io_error);
}

}  // namespace
}  // namespace petri
