#include "sandbox/standing.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/process_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using namespace std::chrono_literals;

class StandingTest : public ::testing::Test {
 protected:
  // Events about the status, as subscribers get them.
  std::vector<std::string> events() {
    std::vector<std::string> kinds;
    while (const EventPtr event = subscription_.next()) kinds.emplace_back(name_of(event->kind));
    return kinds;
  }
  void run() {
    for (const LifecycleEvent event : {LifecycleEvent::load, LifecycleEvent::start, LifecycleEvent::started}) {
      standing_.advance(event);
    }
    events();
  }
  static std::string said(const Result<void>& result) {
    return result ? "" : fmt::format("{}: {}", name_of(result.error().code), result.error().message);
  }
  std::string said_of_change() {
    const MutexLock lock(standing_.mutex());
    return said(standing_.must_be_changeable_now());
  }

  ManualClock clock_;
  TestOwner owner_{1, SandboxLimits::of(Profile::standard), &clock_};
  EventBus bus_{clock_};
  Subscription subscription_ = *bus_.subscribe({});
  std::unique_ptr<AuditLog> log_ = *AuditLog::create({}, clock_);
  Metrics metrics_{MetricLabels{}};
  std::unique_ptr<Timers> timers_ = *Timers::create(clock_);
  CurrentOperation operation_{bus_.correlations()};
  const JournalSinks sinks_{bus_, *log_, metrics_, *timers_};
  const std::string id_ = "a";
  Journal journal_{sinks_, owner_, id_, AuditLevel::full, operation_};
  Standing standing_{id_, clock_, journal_, clock_.wall_now()};
};

TEST_F(StandingTest, FollowsTheLifecycleAndReportsEachStep) {
  EXPECT_EQ(standing_.status(), SandboxStatus::initializing);
  run();
  EXPECT_TRUE(standing_.is_up());
  standing_.advance(LifecycleEvent::end);
  standing_.advance(LifecycleEvent::ended);
  EXPECT_EQ(standing_.status(), SandboxStatus::stopped);
  EXPECT_THAT(events(), ElementsAre("sandbox.status", "sandbox.status"));
}

TEST_F(StandingTest, StaysAsItIsWhenAnEventMeansNothingThere) {
  standing_.advance(LifecycleEvent::changed, "nothing was being changed");
  EXPECT_EQ(standing_.status(), SandboxStatus::initializing);
  EXPECT_EQ(standing_.facts().cause, "");
  EXPECT_THAT(events(), IsEmpty());
}

TEST_F(StandingTest, RefusesWithStatusAndCauseWhatNeedsARunningSandbox) {
  EXPECT_EQ(said(standing_.must_run()), "rejected: the sandbox a is initializing");
  run();
  EXPECT_EQ(said(standing_.must_run()), "");
  standing_.advance(LifecycleEvent::end);
  standing_.advance(LifecycleEvent::ended, "it was asked to");
  const auto refused = standing_.must_run();
  EXPECT_EQ(said(refused), "rejected: the sandbox a is stopped: it was asked to; restart it first");
  EXPECT_EQ(refused.error().detail("status"), "stopped");
  EXPECT_EQ(refused.error().detail("cause"), "it was asked to");
}

TEST_F(StandingTest, AllowsAChangeOfCodeWhereNothingRuns) {
  EXPECT_EQ(said_of_change(), "rejected: the sandbox a is initializing");
  run();
  EXPECT_EQ(said_of_change(), "");
  standing_.advance(LifecycleEvent::end);
  EXPECT_EQ(said_of_change(), "rejected: the sandbox a is stopping");
  standing_.advance(LifecycleEvent::ended);
  EXPECT_EQ(said_of_change(), "");
}

TEST_F(StandingTest, OnceDestroyedEverythingIsNotFound) {
  EXPECT_EQ(said(standing_.must_exist()), "");
  EXPECT_TRUE(standing_.set_destroyed());
  EXPECT_FALSE(standing_.set_destroyed()) << "somebody has done so before";
  const std::string gone = "not_found: there is no sandbox a: it was destroyed";
  EXPECT_EQ(said(standing_.must_exist()), gone);
  EXPECT_EQ(said(standing_.must_run()), gone);
  standing_.advance(LifecycleEvent::end);
  standing_.advance(LifecycleEvent::ended);
  EXPECT_EQ(said_of_change(), gone);
}

TEST_F(StandingTest, KeepsTheClassOfAFailureUntilItRunsAgain) {
  run();
  const auto failed = standing_.fail_with({.code = ErrorCode::limit_exceeded, .message = "too much", .details = {}},
                                          ErrorCategory::runtime);
  EXPECT_EQ(said(failed), "limit_exceeded: too much");
  EXPECT_EQ(standing_.status(), SandboxStatus::failed);
  EXPECT_EQ(standing_.facts().cause, "too much");
  EXPECT_EQ(standing_.facts().failure, ErrorCategory::runtime);
  run();
  EXPECT_EQ(standing_.facts().failure, std::nullopt);
}

TEST_F(StandingTest, IsOverAsSoonAsItsEndHasStarted) {
  run();
  EXPECT_FALSE(standing_.is_over());
  standing_.advance(LifecycleEvent::end);
  EXPECT_TRUE(standing_.is_over());
  standing_.advance(LifecycleEvent::ended);
  EXPECT_TRUE(standing_.is_over());
}

TEST_F(StandingTest, KnowsSinceWhenItRunsAndWhenItLastChanged) {
  const auto since = [this] {
    const MutexLock lock(standing_.mutex());
    return standing_.running_since_now();
  };
  EXPECT_EQ(since(), std::nullopt);
  clock_.advance(5s);
  run();
  EXPECT_EQ(since(), clock_.now());
  const WallTime ran = clock_.wall_now();
  clock_.advance(5s);
  EXPECT_EQ(standing_.facts().updated, ran);
  standing_.note_update(clock_.wall_now());
  standing_.note_update(ran);
  EXPECT_EQ(standing_.facts().updated, clock_.wall_now()) << "time does not go back";
  standing_.advance(LifecycleEvent::change);
  EXPECT_EQ(since(), std::nullopt) << "only while it is running";
}

}  // namespace
}  // namespace petri
