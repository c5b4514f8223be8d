#include "sandbox/journal.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/process_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class JournalTest : public ::testing::Test {
 protected:
  // The kinds of all events so far, and of all entries.
  std::vector<std::string> events() {
    std::vector<std::string> kinds;
    while (const EventPtr event = subscription_.next()) kinds.emplace_back(name_of(event->kind));
    return kinds;
  }
  std::vector<std::string> entries() const {
    std::vector<std::string> kinds;
    for (const AuditEntry& entry : log_->query({}).entries) {
      kinds.push_back(fmt::format("{} {}", name_of(entry.kind), entry.cause));
    }
    return kinds;
  }
  std::string metrics() const { return to_prometheus(metrics_, {}); }
  static Outcome ended_by(const std::string& limit) {
    Outcome outcome;
    outcome.kind = OutcomeKind::deadline;
    outcome.cause = limit;
    outcome.wall_time = 7ms;
    return outcome;
  }

  ManualClock clock_;
  TestOwner owner_{2, SandboxLimits::of(Profile::medium), &clock_};
  EventBus bus_{clock_};
  Subscription subscription_ = *bus_.subscribe({});
  std::unique_ptr<AuditLog> log_ = *AuditLog::create({}, clock_);
  Metrics metrics_{{.limits = {"execution_time_max", "timers_max"}, .permissions = {"clock"}}};
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
  CurrentOperation operation_{bus_.correlations()};
  const std::string id_ = "a";
  const JournalSinks sinks_{bus_, *log_, metrics_, *timers_};
  Journal journal_{sinks_, owner_, id_, AuditLevel::full, operation_};
};

TEST_F(JournalTest, MakesOfOneFactAnEventAnEntryAndANumber) {
  journal_.killed("worker", ended_by("execution_time_max"), *owner_.account().limits());
  EXPECT_THAT(events(), ElementsAre("killed.timeout"));
  EXPECT_THAT(entries(), ElementsAre("killed execution_time_max"));
  EXPECT_THAT(metrics(), HasSubstr(R"(petri_kills_total{limit="execution_time_max"} 1)"));
  EXPECT_EQ(journal_.limits_met().at("execution_time_max"), 1U);
}

TEST_F(JournalTest, TellsOfADeniedPermissionEverywhere) {
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
