#include "sandbox/calls/calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "host/guest/inside.h"
#include "sandbox/parts_fixture.h"

namespace petri {
namespace {

using namespace std::chrono_literals;

class CallsTest : public PartsFixture {
 protected:
  CallsTest() {
    set_running();
    start("adder", kAdder);
  }
  void open_breaker() {
    for (std::uint32_t i = 0; i < breaker_.limits_max; ++i)
      containment_.report_killed("adder", ended(OutcomeKind::deadline, "execution_time_max"), limits());
  }
  Result<Outcome> add() { return calls_.call("add", {Value(std::int32_t{2}), Value(std::int32_t{3})}, {}); }
  static ErrorCode code_of(const auto& result) { return result ? ErrorCode{} : result.error().code; }

  const BreakerOptions breaker_{.limits_max = 2, .pause = 1s};
  Containment containment_{
      {.sandbox = id_, .clock = clock_, .modules = modules_, .quarantine = quarantine_, .journal = journal_}, breaker_};
  Calls calls_{{.sandbox = id_,
                .owner = owner_,
                .processes = processes_,
                .runs = run_table_,
                .containment = containment_,
                .completions = completions_,
                .timers = *timers_}};
};

TEST_F(CallsTest, FindTheOnlyProcessByItself) {
  const auto outcome = add();
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->values.at(0).i32(), 5);
}

TEST_F(CallsTest, AreRefusedByAnOpenBreaker) {
  open_breaker();
  EXPECT_EQ(code_of(add()), ErrorCode::busy);
  EXPECT_EQ(code_of(calls_.call_async("add", {}, {}, nullptr)), ErrorCode::busy);
  EXPECT_EQ(code_of(calls_.send("x", "")), ErrorCode::busy);
}

TEST_F(CallsTest, CloseTheBreakerWithATrialThatSucceeds) {
  open_breaker();
  clock_.advance(1s);
  ASSERT_TRUE(add());
  EXPECT_TRUE(containment_.is_closed());
}

TEST_F(CallsTest, OpenTheBreakerAgainWithATrialThatNobodyTook) {
  open_breaker();
  clock_.advance(1s);
  const std::string too_large(limits().message_bytes_max + 1, 'x');
  EXPECT_EQ(code_of(calls_.send(too_large, "")), ErrorCode::too_large);
  EXPECT_EQ(containment_.breaker().state(), BreakerState::open);
}

TEST_F(CallsTest, AnswerLaterUnderANumberOfTheirOwn) {
  std::promise<Result<Outcome>> answer;
  const auto number = calls_.call_async("add", {Value(std::int32_t{2}), Value(std::int32_t{3})}, {},
                                        [&](Result<Outcome> result) { answer.set_value(std::move(result)); });
  ASSERT_TRUE(number);
  EXPECT_NE(*number, 0U);
  const auto result = answer.get_future().get();
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->values.at(0).i32(), 5);
}

TEST_F(CallsTest, LeaveNoTimerBehindThatIsNotNeeded) {
  const std::string too_large(limits().message_bytes_max + 1, 'x');
  CallOptions options{.input = too_large, .timeout = 1h};
  EXPECT_EQ(code_of(calls_.call_async("add", {}, std::move(options), nullptr)), ErrorCode::too_large);
  EXPECT_EQ(timers_->waiting(), 0U);
}

TEST_F(CallsTest, AreRefusedWhereTheProcessWaitsForThisThread) {
  const Inside inside(Inside::What::completion, {.owner = &owner_, .name = "adder"});
  EXPECT_EQ(code_of(add()), ErrorCode::deadlock);
}

TEST_F(CallsTest, CancelRunsToo) {
  const auto run = std::make_shared<SandboxRun>();
  run->id = completions_.next_number();
  run->reply = std::make_shared<Reply>();
  ASSERT_TRUE(run_table_.add(run, 1));
  EXPECT_TRUE(calls_.cancel(run->id));
  EXPECT_TRUE(run->reply->settled());
  EXPECT_EQ(code_of(calls_.cancel(run->id)), ErrorCode::not_found);
}

}  // namespace
}  // namespace petri
