#include "sandbox/recovery/trial_undo.h"

#include <gmock/gmock.h>

#include "sandbox/reload/code_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

class TrialUndoTest : public CodeFixture {
 protected:
  TrialUndoTest() {
    run("counter");
    set_running();
    EXPECT_EQ(ask("counter", "next"), 1);
    reload_on_trial();
    EXPECT_EQ(ask("counter", "next"), 2);
  }
  void reload_on_trial() {
    const Reloads reloads(parts());
    Claim claim = *reloads.claim({"counter"});
    ReloadTerms terms = reloads.terms(std::nullopt, SwitchCause::reload, "test");
    terms.policy.trial = {.calls = 100, .time = 60s};
    ModuleChanges changes;
    changes.push_back(*reloads.change_to("counter", *gate().load(Source::wat(counter(2))), {}));
    Reload reload(reload_parts(), terms, std::move(changes));
    ASSERT_TRUE(reload.plan());
    ASSERT_TRUE(reload.run([&claim] { claim.release(); }));
    trial_ = reload.changes()[0].module_switch->trial();
  }
  bool start(const Result<Outcome>& how) { return undo_.start(*running_.at("counter"), *trial_, how, then_); }
  void finish() {
    ASSERT_TRUE(then_);
    std::exchange(then_, nullptr)();
    decisions_.wait(owner_.workers(), std::chrono::steady_clock::now() + 1h);
  }
  static Outcome crash() { return ended(OutcomeKind::trapped); }

  std::shared_ptr<TrialPeriod> trial_;
  std::function<void()> then_;
  const TrialUndo undo_{parts(), decisions_};
};

TEST_F(TrialUndoTest, IsSetOffByCrashesAlone) {
  EXPECT_FALSE(start(ended(OutcomeKind::ok)));
  EXPECT_FALSE(start(ended(OutcomeKind::cancelled)));
  EXPECT_FALSE(then_);
  EXPECT_FALSE(decisions_.any());
  EXPECT_TRUE(start(crash()));
  finish();
}

TEST_F(TrialUndoTest, GoesBackToTheVersionAndTheStateOfBefore) {
  ASSERT_TRUE(start(crash()));
  EXPECT_TRUE(decisions_.any()) << "a verb that comes now waits for it";
  EXPECT_EQ(active("counter"), 2U) << "only once the process was left";
  finish();
  EXPECT_EQ(active("counter"), 1U);
  EXPECT_EQ(ask("counter", "version"), 1);
  EXPECT_EQ(ask("counter", "next"), 2) << "it was 1 at the switch";
  EXPECT_EQ(standing_.status(), SandboxStatus::running);
}

TEST_F(TrialUndoTest, IsDoneOnceForAllThatCrash) {
  ASSERT_TRUE(start(crash()));
  const std::function<void()> first = std::exchange(then_, nullptr);
  EXPECT_TRUE(start(crash()));
  EXPECT_FALSE(then_) << "the first one does it";
  then_ = first;
  finish();
  EXPECT_FALSE(start(crash())) << "and its trial is over";
  EXPECT_FALSE(decisions_.any());
}

TEST_F(TrialUndoTest, IsNotDoneAfterTheTrial) {
  clock_.advance(61s);
  EXPECT_FALSE(start(crash()));
  EXPECT_FALSE(decisions_.any());
}

TEST_F(TrialUndoTest, LeavesTheVersionWhereAnotherChangesTheModule) {
  const auto other = Claim::take(standing_, modules_, {"counter"});
  ASSERT_TRUE(other);
  ASSERT_TRUE(start(crash()));
  finish();
  EXPECT_EQ(active("counter"), 2U);
}

}  // namespace
}  // namespace petri
