#include "sandbox/reload/reloads.h"

#include <gmock/gmock.h>

#include "sandbox/reload/code_fixture.h"

namespace petri {
namespace {

using ::testing::HasSubstr;

class ReloadsTest : public CodeFixture {
 protected:
  ReloadsTest() {
    run("counter");
    set_running();
    events();
  }
  Reloads reloads() { return Reloads(parts()); }
  Result<ReloadReport> reload(int version) { return reloads().reload("counter", Source::wat(counter(version)), {}); }
};

TEST_F(ReloadsTest, GiveProcessesNewCodeAndKeepTheirState) {
  EXPECT_EQ(ask("counter", "next"), 1);
  const auto report = reload(2);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->from, 1U);
  EXPECT_EQ(report->to, 2U);
  EXPECT_EQ(report->state, StateWay::described);
  ASSERT_EQ(report->processes.size(), 1U);
  EXPECT_EQ(report->processes[0].process, "counter");
  EXPECT_EQ(ask("counter", "version"), 2);
  EXPECT_EQ(ask("counter", "next"), 2);
  EXPECT_EQ(standing_.status(), SandboxStatus::running);
}

TEST_F(ReloadsTest, ChangeNothingWhereTheCodeIsTheActiveOne) {
  const auto report = reload(1);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_TRUE(report->no_change);
  EXPECT_EQ(active("counter"), 1U);
}

TEST_F(ReloadsTest, ChangeAllModulesOrNone) {
  run("other");
  const auto refused =
      reloads().reload_all({{"counter", Source::wat(counter(2))}, {"other", Source::wat("(module")}}, {});
  EXPECT_THAT(refusal(refused), HasSubstr("the module other"));
  EXPECT_EQ(active("counter"), 1U);
  EXPECT_EQ(ask("counter", "version"), 1);
  EXPECT_EQ(standing_.status(), SandboxStatus::running) << "the claim is released";
}

TEST_F(ReloadsTest, GoFromProcessToProcessWhenThePolicySaysSo) {
  policy_.rolling = true;
  ASSERT_EQ(ask("counter", "next"), 1);
  const auto report = reload(2);
  ASSERT_TRUE(report) << report.error().message;
  EXPECT_EQ(report->processes.size(), 1U);
  EXPECT_EQ(ask("counter", "next"), 2);
  EXPECT_EQ(active("counter"), 2U);
}

TEST_F(ReloadsTest, PlanWithoutChangingAnything) {
  const auto plan = reloads().plan("counter", Source::wat(counter(2)), {});
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->to, 2U);
  EXPECT_EQ(plan->state, StateWay::described);
  EXPECT_FALSE(plan->refusal);
  EXPECT_TRUE(reloads().plan("counter", Source::wat(counter(1)), {})->no_change);
  const auto less = reloads().plan("counter", Source::wat("(module)"), {});
  ASSERT_TRUE(less) << less.error().message;
  EXPECT_TRUE(less->refusal) << "it lacks functions that callers may need";
  EXPECT_EQ(active("counter"), 1U);
  EXPECT_EQ(ask("counter", "version"), 1);
}

TEST_F(ReloadsTest, GoToAVersionThatIsKept) {
  ASSERT_TRUE(reload(2));
  const auto back = reloads().rollback("counter", 0, {});
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(ask("counter", "version"), 1);
  ASSERT_TRUE(reloads().activate("counter", 2, {}));
  EXPECT_EQ(ask("counter", "version"), 2);
  EXPECT_EQ(refusal(reloads().activate("counter", 0, {})), "version_not_found: the versions of counter begin with 1");
  EXPECT_THAT(refusal(reloads().activate("counter", 7, {})), HasSubstr("version_not_found"));
}

TEST_F(ReloadsTest, RollBackToTheStateOfTheSwitchOnce) {
  ASSERT_EQ(ask("counter", "next"), 1);
  ASSERT_TRUE(reload(2));
  ASSERT_EQ(ask("counter", "next"), 2);
  ASSERT_TRUE(reloads().rollback("counter", 0, {.snapshot = true}));
  EXPECT_EQ(ask("counter", "next"), 2) << "it was 1 at the switch";
  EXPECT_THAT(refusal(reloads().rollback("counter", 2, {.snapshot = true})),
              HasSubstr("there is no snapshot of a switch of counter from version 2 to 1"));
}

TEST_F(ReloadsTest, AreRefusedWhileAnotherHasTheModule) {
  const auto other = reloads().claim({"counter"});
  ASSERT_TRUE(other);
  EXPECT_EQ(refusal(reload(2)), "busy: the module counter is being changed already: try again later");
}

TEST_F(ReloadsTest, AreRefusedOnceTheSandboxWasDestroyed) {
  standing_.set_destroyed();
  EXPECT_EQ(refusal(reload(2)), "not_found: there is no sandbox a: it was destroyed");
}

TEST_F(ReloadsTest, WaitForWhatACrashHasSetOff) {
  settled_ = false;
  ASSERT_TRUE(reload(2));
  EXPECT_EQ(waits_, 1);
}

}  // namespace
}  // namespace petri
