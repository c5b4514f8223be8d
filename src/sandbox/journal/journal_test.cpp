#include "sandbox/journal/journal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/parts_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class JournalTest : public PartsFixture {
 protected:
  static Outcome timed_out() {
    Outcome outcome = ended(OutcomeKind::deadline, "execution_time_max");
    outcome.wall_time = 7ms;
    return outcome;
  }
};

TEST_F(JournalTest, MakesOfOneFactAnEventAnEntryAndANumber) {
  journal_.killed("worker", timed_out(), limits());
  EXPECT_THAT(events(), ElementsAre("killed.timeout"));
  EXPECT_THAT(entries(), ElementsAre("killed execution_time_max"));
  EXPECT_THAT(metrics(), HasSubstr(R"(petri_kills_total{limit="execution_time_max"} 1)"));
  EXPECT_EQ(journal_.limits_met().at("execution_time_max"), 1U);
}

TEST_F(JournalTest, ReportsADeniedPermissionEverywhere) {
  journal_.permission_used("worker", {.permission = Permission::clock, .granted = 0, .denied = 3});
  EXPECT_THAT(events(), ElementsAre("security.denied"));
  EXPECT_THAT(entries(), ElementsAre("permission_denied clock"));
  EXPECT_THAT(metrics(), HasSubstr(R"(petri_denials_total{permission="clock"} 3)"));
  EXPECT_EQ(journal_.denied().at("clock"), 3U);
}

TEST_F(JournalTest, CountsWhatIsBeyondTheGuestsShareOfTheTrail) {
  const LimitMet met{.limit = "timers_max", .wanted = 2, .allowed = 1};
  for (std::uint64_t i = 0; i < GuestEntries::kBurst + 5; ++i) journal_.limit_met("worker", met);
  EXPECT_EQ(log_->status().entries, GuestEntries::kBurst);
  EXPECT_EQ(journal_.limits_met().at("timers_max"), GuestEntries::kBurst + 5);
  journal_.flush();
  EXPECT_EQ(log_->status().entries, GuestEntries::kBurst + 1) << "one for all that was counted";
  EXPECT_EQ(timers_->waiting(), 0U);
}

TEST_F(JournalTest, CountsNothingOnceItIsClosed) {
  journal_.close();
  const LimitMet met{.limit = "timers_max", .wanted = 2, .allowed = 1};
  for (std::uint64_t i = 0; i < GuestEntries::kBurst + 5; ++i) journal_.limit_met("worker", met);
  EXPECT_EQ(timers_->waiting(), 0U) << "the timers may be gone";
}

TEST_F(JournalTest, HasNoNumbersOfWhatNeverHappened) {
  EXPECT_THAT(journal_.limits_met(), IsEmpty());
  EXPECT_THAT(journal_.denied(), IsEmpty());
  journal_.flush();
  EXPECT_THAT(entries(), IsEmpty());
}

}  // namespace
}  // namespace petri
