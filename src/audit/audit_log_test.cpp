#include "audit/audit_log.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <limits>
#include <thread>

#include "audit/audit_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(AuditLog, KeepsWhatIsReported) {
  TestLog test;
  EXPECT_EQ(test.deny("a"), 1U);
  const AuditPage page = test.log->query({});
  ASSERT_EQ(page.entries.size(), 1U);
  const AuditEntry& entry = page.entries.front();
  EXPECT_EQ(entry.sandbox, "a");
  EXPECT_EQ(entry.process, "main");
  EXPECT_EQ(entry.kind, AuditKind::permission_denied);
  EXPECT_EQ(entry.cause, "clock");
  EXPECT_EQ(entry.time, WallTime(1'700'000'000s + 1ms));
  EXPECT_EQ(*entry.detail("count"), AuditValue(3));
  EXPECT_EQ(entry.hash, test.log->status().last_hash);
  EXPECT_EQ(page.next, std::nullopt);
}

// P14
TEST(AuditLog, MakesNoEntryThatTheLevelDoesNotKeep) {
  TestLog test;
  const auto tell = [&test](AuditLevel level, AuditKind kind) {
    return test.log->append(level, {.kind = kind, .sandbox = "a"});
  };
  EXPECT_EQ(tell(AuditLevel::none, AuditKind::killed), 0U);
  EXPECT_EQ(tell(AuditLevel::basic, AuditKind::permission_used), 0U);
  EXPECT_EQ(test.log->status().entries, 0U);
  EXPECT_EQ(tell(AuditLevel::full, AuditKind::permission_used), 1U);
  EXPECT_EQ(tell(AuditLevel::basic, AuditKind::killed), 2U);
}

// P14
TEST(AuditLog, IsReadPageByPage) {
  TestLog test;
  for (int i = 0; i < 10; ++i) test.deny(i % 2 == 0 ? "even" : "odd");
  AuditQuery query{.sandbox = "odd", .entries_max = 2};
  EXPECT_THAT(test.numbers(query), ElementsAre(2, 4));
  query.after = *test.log->query(query).next;
  test.deny("odd");
  EXPECT_THAT(test.numbers(query), ElementsAre(6, 8));
  query.after = *test.log->query(query).next;
  EXPECT_THAT(test.numbers(query), ElementsAre(10, 11));
  EXPECT_EQ(test.log->query(query).next, std::nullopt);
  EXPECT_THAT(test.numbers({.sandbox = "nobody"}), IsEmpty());
}

TEST(AuditLog, IsReadThroughMoreEntriesThanAreLookedAtInOneTurn) {
  TestLog test;
  for (int i = 0; i < 10'000; ++i) test.deny("a");
  test.kill("b");
  EXPECT_THAT(test.numbers({.kind = AuditKind::killed}), ElementsAre(10'001));
  EXPECT_EQ(test.numbers({.entries_max = 20'000}).size(), 10'001U);
  EXPECT_EQ(test.numbers({.sandbox = "a", .entries_max = std::numeric_limits<std::size_t>::max()}).size(), 10'000U);
  EXPECT_EQ(test.log->verify().entries, 10'001U);
}

TEST(AuditLog, NamesBoundsUnderWhichNothingCouldBeKept) {
  const ManualClock clock;
  EXPECT_THAT(AuditLog::create({.entries_max = 0}, clock).error().message, HasSubstr("entries_max is 0"));
  EXPECT_THAT(AuditLog::create({.bytes_max = 1'000}, clock).error().message, HasSubstr("bytes_max is 1000"));
}

TEST(AuditLog, KeepsOneChainWhoeverWrites) {
  constexpr int kThreads = 4;
  constexpr int kEach = 2'000;
  const TestFile file;
  const SystemClock clock;
  auto log = *AuditLog::create({.entries_max = 1'000, .file = file.path()}, clock);
  std::vector<std::thread> writers;
  for (int thread = 0; thread < kThreads; ++thread) {
    writers.emplace_back([&log, sandbox = "sandbox-" + std::to_string(thread)] {
      for (int i = 0; i < kEach; ++i) {
        log->append(AuditLevel::basic, {.kind = AuditKind::limit_met, .sandbox = sandbox, .cause = "timers_max"},
                    {{"seen", i}});
        if (i % 500 != 0) continue;
        EXPECT_EQ(log->verify().fault, std::nullopt);
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    std::int64_t before = -1;
    for (const AuditEntry& entry : log->query({.sandbox = "sandbox-1", .entries_max = 1'000}).entries) {
      const auto seen = std::get<std::int64_t>(*entry.detail("seen"));
      EXPECT_GT(seen, before);
      before = seen;
    }
  }
  for (std::thread& writer : writers) writer.join();
  log.reset();
  const auto verification = verify_audit_file(file.path());
  EXPECT_EQ(verification->fault, std::nullopt);
  EXPECT_EQ(verification->entries, std::uint64_t{kThreads * kEach});
}

// HF04
TEST(AuditLog, BringsToTheFileWhatADiskHadNoRoomFor) {
  const TestFile file;
  TestLog test({.file = file.path()});
  test.deny("a");
  {
    const FileSizeLimit limit(file.read().size() + 20);
    for (int i = 0; i < 5; ++i) test.deny("a");
    EXPECT_EQ(test.log->status().file_waiting, 5U);
    EXPECT_THAT(test.log->status().file_problem, HasSubstr(file.path()));
    EXPECT_EQ(test.log->flush().error().code, ErrorCode::io_error);
  }
  test.deny("a");
  EXPECT_EQ(test.log->status().file_waiting, 6U) << "it is left alone for a second";
  test.clock.advance(1s);
  test.deny("a");
  EXPECT_EQ(test.log->status().file_waiting, 0U);
  EXPECT_EQ(test.log->status().file_lost, 0U);
  EXPECT_EQ(test.log->status().file_problem, "");
  EXPECT_EQ(verify_audit_file(file.path())->entries, 8U);
}

// HF04
TEST(AuditLog, CountsWhatTheFileCanNoLongerGet) {
  const TestFile file;
  TestLog test({.entries_max = 3, .file = file.path()});
  test.deny("a");
  {
    const FileSizeLimit limit(file.read().size());
    for (int i = 0; i < 10; ++i) test.deny("a");
  }
  EXPECT_EQ(test.log->status().file_lost, 7U);
  EXPECT_EQ(test.log->status().file_waiting, 3U);
  ASSERT_TRUE(test.log->flush());
  test.deny("a");
  EXPECT_EQ(test.log->status().file_lost, 7U);
  EXPECT_EQ(test.log->status().file_waiting, 0U);
  const auto verification = verify_audit_file(file.path());
  EXPECT_EQ(verification->entries, 1U);
  EXPECT_EQ(verification->fault->message, "its number is 9: entries 2 to 8 are missing before it");
  test.log.reset();
  EXPECT_THAT(lines_of(file_with(file, 1)), testing::SizeIs(7)) << "what follows a gap is gone on with";
}

// HF01: whatever the moment, all entries that were reported are in the file, and the file verifies.
TEST(AuditLog, LeavesWholeLinesWhenItsProcessIsKilled) {
  for (int round = 1; round <= 10; ++round) {
    const TestFile file(std::to_string(round));
    int reported[2];
    ASSERT_EQ(::pipe2(reported, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      TestLog test({.file = file.path()});
      for (;;) {
        for (int i = 0; i < 100; ++i) test.deny("a");
        if (::write(reported[1], ".", 1) != 1) ::_exit(1);
      }
    }
    ::close(reported[1]);
    std::uint64_t hundreds = 0;
    for (char dot = 0; hundreds < static_cast<std::uint64_t>(round) * 3; ++hundreds)
      ASSERT_EQ(::read(reported[0], &dot, 1), 1);
    ASSERT_EQ(::kill(child, SIGKILL), 0);
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    ::close(reported[0]);
    const auto verification = verify_audit_file(file.path());
    ASSERT_TRUE(verification) << verification.error().message;
    EXPECT_GE(verification->entries, hundreds * 100);
    EXPECT_TRUE(!verification->fault || verification->fault->kind == AuditFaultKind::cut_off);
    file_with(file, 1);
    EXPECT_EQ(verify_audit_file(file.path())->fault, std::nullopt);
  }
}

}  // namespace
}  // namespace petri
