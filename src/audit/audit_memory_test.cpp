#include "audit/audit_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "audit/audit_fixture.h"

namespace petri {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(AuditMemory, KeepsTheNewestAndCountsTheRest) {
  TestLog test({.entries_max = 3});
  for (int i = 0; i < 10; ++i) test.deny("a");
  EXPECT_THAT(test.numbers({}), ElementsAre(8, 9, 10));
  const AuditStatus status = test.log->status();
  EXPECT_EQ(status.entries, 10U);
  EXPECT_EQ(status.kept, 3U);
  EXPECT_EQ(status.dropped, 7U);
  EXPECT_EQ(status.last_number, 10U);
}

TEST(AuditMemory, KeepsNoMoreBytesThanItMay) {
  TestLog test({.bytes_max = kAuditBytesMin});
  for (int i = 0; i < 2'000; ++i) test.deny("sandbox-" + std::to_string(i));
  const AuditStatus status = test.log->status();
  EXPECT_LE(status.kept_bytes, kAuditBytesMin);
  EXPECT_GT(status.kept_bytes, kAuditBytesMin / 2);
  EXPECT_GT(status.dropped, 1'000U);
  EXPECT_EQ(status.kept + status.dropped, 2'000U);
}

TEST(AuditMemory, GivesBackAllBytesOfWhatItDrops) {
  TestLog test({.entries_max = 1});
  test.deny("first-name");
  const std::uint64_t bytes = test.log->status().kept_bytes;
  for (int i = 0; i < 1'000; ++i) test.deny("other-name");
  test.deny("first-name");
  EXPECT_NEAR(static_cast<double>(test.log->status().kept_bytes), static_cast<double>(bytes), 8);
}

TEST(AuditMemory, KeepsAnEntryOfTheLargestSize) {
  TestLog test({.bytes_max = kAuditBytesMin});
  const std::string worst(1'000, '\x01');
  test.log->append(
      AuditLevel::full, {.kind = AuditKind::killed, .sandbox = worst, .process = worst, .cause = worst},
      {{"a", worst}, {"b", worst}, {"c", worst}, {"d", worst}, {"e", worst}, {"f", worst}, {"g", worst}, {"h", worst}});
  EXPECT_EQ(test.log->status().kept, 1U);
  EXPECT_EQ(test.log->status().dropped, 0U);
}

TEST(AuditMemory, CanStillBeVerifiedFromTheFirstItKeeps) {
  TestLog test({.entries_max = 100});
  for (int i = 0; i < 1'000; ++i) test.deny(i % 3 == 0 ? "a" : "b");
  const AuditVerification verification = test.log->verify();
  EXPECT_EQ(verification.fault, std::nullopt);
  EXPECT_EQ(verification.entries, 100U);
  EXPECT_EQ(verification.last_hash, test.log->status().last_hash);
}

// After some minutes nothing of any other sandbox was left.
TEST(AuditMemory, KeepsTheEntriesOfOthersWhenOneSandboxMakesMany) {
  TestLog test({.entries_max = 200});
  for (int i = 0; i < 50; ++i) test.deny("honest");
  for (int i = 0; i < 10'000; ++i) test.deny("hostile");
  EXPECT_EQ(test.numbers({.sandbox = "honest", .entries_max = 1'000}).size(), 50U);
  EXPECT_EQ(test.numbers({.sandbox = "hostile", .entries_max = 1'000}).size(), 150U);
  EXPECT_EQ(test.numbers({.after = 40, .entries_max = 1'000}).size(), 160U);
  EXPECT_EQ(test.numbers({.after = 60, .entries_max = 1'000}).size(), 150U) << "that entry is not there any more";
  const AuditVerification verification = test.log->verify();
  EXPECT_EQ(verification.fault, std::nullopt);
  EXPECT_EQ(verification.entries, 200U);
  EXPECT_EQ(verification.last_hash, test.log->status().last_hash);
}

TEST(AuditMemory, KeepsTheEntriesOfOthersWhenOneSandboxMakesLongOnes) {
  TestLog test({.bytes_max = 4 * kAuditBytesMin});
  for (int i = 0; i < 50; ++i) test.deny("honest");
  for (int i = 0; i < 1'000; ++i) test.deny("hostile", std::string(1'000, 'x'));
  EXPECT_EQ(test.numbers({.sandbox = "honest", .entries_max = 1'000}).size(), 50U);
  EXPECT_LE(test.log->status().kept_bytes, 4 * kAuditBytesMin);
}

TEST(AuditMemory, KeepsWhatTheFileDoesNotHaveYet) {
  const TestFile file;
  TestLog test({.entries_max = 200, .file = file.path()});
  for (int i = 0; i < 100; ++i) test.deny("honest");
  {
    const FileSizeLimit limit(1);
    for (int i = 0; i < 180; ++i) test.deny("hostile");
  }
  EXPECT_EQ(test.log->status().file_waiting, 180U);
  EXPECT_EQ(test.log->status().file_lost, 0U);
  EXPECT_TRUE(test.log->flush());
  EXPECT_EQ(verify_audit_file(file.path())->entries, 280U);
}

TEST(AuditMemory, ForgetsASandboxWithItsLastEntry) {
  TestLog test({.entries_max = 2});
  test.deny("old");
  test.deny("new");
  test.deny("new");
  EXPECT_THAT(test.numbers({.sandbox = "old"}), IsEmpty());
  EXPECT_THAT(test.numbers({.sandbox = "new"}), ElementsAre(2, 3));
  test.deny("old");
  EXPECT_THAT(test.numbers({.sandbox = "old"}), ElementsAre(4));
}

// P14: against entries that are looked at one by one.
TEST(AuditMemory, AnswersEveryQueryAsALookAtAllEntriesDoes) {
  TestLog test({.entries_max = 300});
  std::mt19937 random(7);
  const std::vector<std::string> sandboxes{"a", "b", "c", "rare"};
  for (int i = 0; i < 1'000; ++i) {
    const std::string& sandbox = i % 97 == 0 ? sandboxes[3] : sandboxes[random() % 3];
    random() % 2 == 0 ? test.deny(sandbox, random() % 2 == 0 ? "clock" : "random") : test.kill(sandbox);
  }
  const std::vector<AuditEntry> all = test.log->query({.entries_max = 1'000}).entries;
  ASSERT_EQ(all.size(), 300U);
  for (int round = 0; round < 2'000; ++round) {
    AuditQuery query;
    if (random() % 2 == 0) query.sandbox = sandboxes[random() % sandboxes.size()];
    if (random() % 3 == 0) query.kind = random() % 2 == 0 ? AuditKind::killed : AuditKind::permission_denied;
    if (random() % 3 == 0) query.cause = random() % 2 == 0 ? "clock" : "nothing";
    if (random() % 3 == 0) query.from = all[random() % all.size()].time;
    if (random() % 3 == 0) query.until = all[random() % all.size()].time;
    if (random() % 2 == 0) query.after = random() % 1'100;
    query.entries_max = random() % 40;
    std::vector<AuditEntry> expected;
    for (const AuditEntry& entry : all) {
      if ((query.sandbox.empty() || entry.sandbox == query.sandbox) && (!query.kind || entry.kind == *query.kind) &&
          (query.cause.empty() || entry.cause == query.cause) && (!query.from || entry.time >= *query.from) &&
          (!query.until || entry.time < *query.until) && entry.number > query.after)
        expected.push_back(entry);
    }
    const bool more = expected.size() > query.entries_max;
    if (more) expected.resize(query.entries_max);
    const AuditPage page = test.log->query(query);
    EXPECT_EQ(page.entries, expected);
    EXPECT_EQ(page.next.has_value(), more);
  }
}

}  // namespace
}  // namespace petri
