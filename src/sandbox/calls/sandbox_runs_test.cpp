#include "sandbox/calls/sandbox_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "sandbox/parts_fixture.h"

namespace petri {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class SandboxRunsTest : public PartsFixture, public GateSource {
 protected:
  SandboxRunsTest() {
    set_running();
    add_module("adder", kAdder);
    events();
  }
  ModuleGate gate() override {
    return ModuleGate({.services = services_,
                       .policy = traits_.policy,
                       .account = *account_,
                       .journal = journal_,
                       .sandbox = id_,
                       .permissions = Permissions::standard()});
  }
  static std::vector<Value> two_and_three() { return {Value(std::int32_t{2}), Value(std::int32_t{3})}; }
  static ErrorCode code_of(const auto& result) { return result ? ErrorCode{} : result.error().code; }

  SandboxTraits traits_;
  const std::shared_ptr<TreeAccount> account_ = std::make_shared<TreeAccount>(owner_.account().limits());
  Workers::Client client_;
  StructuralControl control_{owner_.workers(), client_, Tier::interpreted};
  Containment containment_{
      {.sandbox = id_, .clock = clock_, .modules = modules_, .quarantine = quarantine_, .journal = journal_},
      traits_.breaker};
  const SandboxRuns runs_{{.sandbox = id_,
                           .services = services_,
                           .traits = traits_,
                           .tier = Tier::interpreted,
                           .owner = owner_,
                           .account = account_,
                           .standing = standing_,
                           .control = control_,
                           .gates = *this,
                           .modules = modules_,
                           .containment = containment_,
                           .journal = journal_,
                           .operation = operation_,
                           .completions = completions_,
                           .table = run_table_}};
};

TEST_F(SandboxRunsTest, CallAFunctionOfAnActiveVersionAndSayWhich) {
  const auto outcome = runs_.run("adder", "add", two_and_three(), {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->values.at(0).i32(), 5);
  EXPECT_EQ(outcome->version, 1U);
  EXPECT_THAT(events(), ElementsAre("run.start", "run.stop"));
  EXPECT_THAT(metrics(), HasSubstr(R"(petri_runs_total{outcome="ok"} 1)"));
}

TEST_F(SandboxRunsTest, LeaveNothingInTheTable) {
  ASSERT_TRUE(runs_.run("adder", "add", two_and_three(), {}));
  EXPECT_EQ(run_table_.waiting(), 0U);
  EXPECT_TRUE(run_table_.started().empty());
}

TEST_F(SandboxRunsTest, TakeCodeThatComesWithThem) {
  const auto outcome = runs_.run(Source::wat(std::string(kAdder)), "add", two_and_three(), {});
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->version, 0U);
}

TEST_F(SandboxRunsTest, ReportCodeThatTheGateRefuses) {
  EXPECT_FALSE(runs_.run(Source::wat("(module"), "add", {}, {}));
  EXPECT_THAT(events(), ElementsAre("module.rejected"));
}

TEST_F(SandboxRunsTest, AreRefusedWhereTheSandboxDoesNotRun) {
  standing_.advance(LifecycleEvent::end);
  EXPECT_EQ(code_of(runs_.run("adder", "add", two_and_three(), {})), ErrorCode::rejected);
  EXPECT_EQ(code_of(runs_.run_async("adder", "add", two_and_three(), {}, nullptr)), ErrorCode::rejected);
}

TEST_F(SandboxRunsTest, AreCompletedLater) {
  std::promise<Result<Outcome>> answer;
  const auto number = runs_.run_async("adder", "add", two_and_three(), {},
                                      [&](Result<Outcome> result) { answer.set_value(std::move(result)); });
  ASSERT_TRUE(number);
  const auto result = answer.get_future().get();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->values.at(0).i32(), 5);
  EXPECT_EQ(account_->host_bytes(), 0U) << "what it took while it waited is given back before the answer";
}

TEST_F(SandboxRunsTest, NeedRoomToWait) {
  SandboxLimits small = limits();
  small.memory_bytes_max = 0;
  account_->set_limits(small);
  ASSERT_TRUE(account_->try_hold(MemoryAccount::kHostBytesFree));
  EXPECT_EQ(code_of(runs_.run_async("adder", "add", two_and_three(), {}, nullptr)), ErrorCode::limit_exceeded);
  account_->let_go(MemoryAccount::kHostBytesFree);
}

TEST_F(SandboxRunsTest, WaitInABoundedNumber) {
  SandboxLimits none = limits();
  none.message_queue_max = 0;
  account_->set_limits(none);
  EXPECT_EQ(code_of(runs_.run_async("adder", "add", two_and_three(), {}, nullptr)), ErrorCode::queue_full);
  EXPECT_EQ(account_->host_bytes(), 0U);
}

}  // namespace
}  // namespace petri
