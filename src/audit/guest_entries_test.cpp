#include "audit/guest_entries.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

GuestDeed met(std::string_view process, std::uint64_t seen = 11) {
  return {.subject = {.kind = AuditKind::limit_met, .sandbox = "s", .process = process, .cause = "timers_max"},
          .count = 2,
          .allowed = 10,
          .seen = seen};
}

class GuestEntriesTest : public testing::Test {
 protected:
  std::uint64_t admitted(std::uint64_t deeds, std::string_view process = "p") {
    std::uint64_t count = 0;
    for (std::uint64_t i = 0; i < deeds; ++i) count += entries_.admit(met(process), now_) ? 1 : 0;
    return count;
  }

  GuestEntries entries_;
  Clock::TimePoint now_{10s};
};

TEST_F(GuestEntriesTest, AdmitsABurst) {
  EXPECT_EQ(admitted(5'000), GuestEntries::kBurst);
  EXPECT_FALSE(entries_.empty());
}

TEST_F(GuestEntriesTest, AdmitsSoManyASecondWithoutEnd) {
  for (int second = 0; second < 100; ++second) {
    EXPECT_EQ(admitted(GuestEntries::kPerSecond), GuestEntries::kPerSecond);
    now_ += 1s;
  }
  EXPECT_TRUE(entries_.empty());
}

TEST_F(GuestEntriesTest, MakesOneEntryOfWhatItCounted) {
  admitted(GuestEntries::kBurst);
  for (const std::uint64_t seen : {12U, 30U, 20U}) EXPECT_FALSE(entries_.admit(met("p", seen), now_));
  EXPECT_THAT(entries_.take(now_), IsEmpty()) << "nothing is left to pay with";
  now_ += 1s;
  const auto taken = entries_.take(now_);
  ASSERT_THAT(taken, SizeIs(1));
  EXPECT_EQ(taken[0].kind, AuditKind::limit_met);
  EXPECT_EQ(taken[0].process, "p");
  EXPECT_EQ(taken[0].cause, "timers_max");
  EXPECT_EQ(taken[0].entries, 3U);
  EXPECT_EQ(taken[0].count, 6U);
  EXPECT_EQ(taken[0].allowed, 10U);
  EXPECT_EQ(taken[0].seen, 30U);
  EXPECT_EQ(admitted(GuestEntries::kPerSecond), GuestEntries::kPerSecond - 1);
}

TEST_F(GuestEntriesTest, LetsNothingOvertakeWhatItCounted) {
  admitted(GuestEntries::kBurst + 1);
  now_ += 5s;
  EXPECT_EQ(admitted(1), 0U);
  EXPECT_THAT(entries_.take_all(), SizeIs(1));
  EXPECT_EQ(admitted(1), 1U);
}

TEST_F(GuestEntriesTest, CountsTogetherWhatHasMoreNamesThanItKeeps) {
  admitted(GuestEntries::kBurst);
  for (int i = 0; i < 10'000; ++i) admitted(1, "kid" + std::to_string(i));
  const auto taken = entries_.take_all();
  ASSERT_THAT(taken, SizeIs(GuestEntries::kNamesMax + 1));
  std::uint64_t entries = 0;
  for (const CountedDeeds& deeds : taken) entries += deeds.entries;
  EXPECT_EQ(entries, 10'000U);
  EXPECT_EQ(taken[0].process, "");
  EXPECT_EQ(taken[0].entries, 10'000 - GuestEntries::kNamesMax);
}

}  // namespace
}  // namespace petri
