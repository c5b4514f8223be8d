#include "sandbox/limits/containment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sandbox/parts_fixture.h"

namespace petri {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using namespace std::chrono_literals;
using Entry = Containment::Entry;

class Contained : public PartsFixture {
 protected:
  static constexpr std::uint32_t kLimitsMax = 3;  // the quarantine of the fixture has the same

  static Result<Outcome> well() { return ended(OutcomeKind::ok); }
  static Result<Outcome> badly() { return ended(OutcomeKind::deadline, "execution_time_max"); }

  void meet_limits(std::uint32_t count, std::string_view process) {
    for (std::uint32_t i = 0; i < count; ++i) containment_.report_killed(process, *badly(), limits());
  }
  // The answer of enter(), in a word.
  std::string entry() {
    const auto entered = containment_.enter();
    if (entered) return *entered == Entry::trial ? "trial" : "normal";
    return std::string(name_of(entered.error().code));
  }
  bool is_quarantined(std::string_view sandbox) {
    return quarantine_.find(ArtifactId{}, clock_.now(), sandbox).has_value();
  }

  const BreakerOptions options_{.limits_max = kLimitsMax, .pause = 1s};
  Containment containment_{
      {.sandbox = id_, .clock = clock_, .modules = modules_, .quarantine = quarantine_, .journal = journal_}, options_};
};

TEST_F(Contained, AdmitsAllUntilTheLastOfTheLimitsIsMet) {
  meet_limits(kLimitsMax - 1, "worker");
  EXPECT_TRUE(containment_.is_closed());
  EXPECT_EQ(entry(), "normal");
  meet_limits(1, "worker");
  EXPECT_FALSE(containment_.is_closed());
  EXPECT_EQ(entry(), "busy");
  EXPECT_THAT(events(), Contains("breaker.opened"));
}

TEST_F(Contained, SaysWhoRefuses) {
  meet_limits(kLimitsMax, "worker");
  const auto refused = containment_.enter();
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("the sandbox a met one limit after another, and its breaker is open"));
  EXPECT_EQ(refused.error().detail("component"), "breaker");
}

TEST_F(Contained, AdmitsOneTrialAfterThePauseAndNobodyBesideIt) {
  meet_limits(kLimitsMax, "worker");
  clock_.advance(1s);
  EXPECT_EQ(entry(), "trial");
  EXPECT_EQ(entry(), "busy");
}

TEST_F(Contained, DoesAsTheTrialEnds) {
  const struct {
    Entry entry;
    Result<Outcome> how;
    BreakerState then;
  } ends[] = {
      {Entry::trial, well(), BreakerState::closed},
      {Entry::trial, badly(), BreakerState::open},
      {Entry::trial, fail(ErrorCode::queue_full, "full"), BreakerState::open},
      {Entry::normal, well(), BreakerState::half_open},
      {Entry::normal, badly(), BreakerState::half_open},
  };
  for (const auto& end : ends) {
    containment_.reset();
    meet_limits(kLimitsMax, "worker");
    clock_.advance(1s);
    ASSERT_EQ(entry(), "trial");
    containment_.leave(end.entry, end.how);
    EXPECT_EQ(containment_.breaker().state(), end.then) << &end - ends;
  }
}

TEST_F(Contained, IsClosedByAReset) {
  meet_limits(kLimitsMax, "worker");
  containment_.reset();
  EXPECT_EQ(entry(), "normal");
  meet_limits(kLimitsMax - 1, "worker");
  EXPECT_EQ(entry(), "normal") << "what was counted before is forgotten";
  EXPECT_EQ(containment_.breaker().opened(), 1U);
}

TEST_F(Contained, CountsGuestsThatALimitHasEnded) {
  Outcome returned = ended(OutcomeKind::output_limit, "output_bytes_max");
  returned.returned = true;
  Outcome exited = ended(OutcomeKind::output_limit, "output_bytes_max");
  exited.exit_code = 0;
  const struct {
    Outcome outcome;
    bool counts;
  } rows[] = {
      {ended(OutcomeKind::ok), false},
      {ended(OutcomeKind::trapped), false},
      {ended(OutcomeKind::deadline, "execution_time_max"), true},
      {ended(OutcomeKind::output_limit, "output_bytes_max"), true},
      {returned, false},
      {exited, false},
  };
  for (const auto& row : rows) {
    events();
    containment_.report_killed("worker", row.outcome, limits());
    EXPECT_EQ(!events().empty(), row.counts) << &row - rows;
  }
}

TEST_F(Contained, KeepsTheBreakerClosedForRuns) {
  meet_limits(kLimitsMax, {});
  EXPECT_EQ(entry(), "normal");
  EXPECT_THAT(events(), Contains("security.quarantined"));
}

TEST_F(Contained, QuarantinesEverywhereWhatLivedByItself) {
  add_module("one");
  meet_limits(kLimitsMax, "worker");
  EXPECT_TRUE(is_quarantined("another"));
}

TEST_F(Contained, QuarantinesInItsSandboxWhatLivedWithOthers) {
  add_module("one");
  add_module("two");
  meet_limits(kLimitsMax, "worker");
  EXPECT_TRUE(is_quarantined("a"));
  EXPECT_FALSE(is_quarantined("another"));
}

TEST_F(Contained, QuarantinesEverywhereWhatFailedInRuns) {
  add_module("one");
  add_module("two");
  meet_limits(kLimitsMax, {});
  EXPECT_TRUE(is_quarantined("another"));
}

}  // namespace
}  // namespace petri
