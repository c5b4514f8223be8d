// Area B: candidates in forks of a live sandbox.
#include "batches_fixture.h"

namespace petri {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Adds to what it remembers, in steps of its own.
std::string stepper(int step) {
  return fmt::format(R"((module (memory (export "memory") 1)
    (global $sum (export "state.sum") (mut i32) (i32.const 0))
    (func (export "add") (param i32) (result i32)
      (global.set $sum (i32.add (global.get $sum) (i32.mul (local.get 0) (i32.const {})))) (global.get $sum))))",
                     step);
}

class ForkEvaluationTest : public BatchesTest {
 protected:
  Sandbox live() {
    Sandbox sandbox = create({.id = "live", .modules = {{"m", Source::wat(stepper(1))}}, .labels = {"pop"}});
    EXPECT_EQ(testing::not_value(sandbox.call("add", {100}), 100), "");
    return sandbox;
  }
  const ForkEvaluation how_{.module = "m", .function = "add"};
  const std::vector<Case> cases_{{.arguments = {1}}, {.arguments = {2}}};
};

TEST_F(ForkEvaluationTest, EachCandidateContinuesFromTheStateOfTheLiveOne) {  // B10, B22
  Sandbox sandbox = live();
  const auto rows = runtime_->evaluate_forks(
      "live", {Source::wat(stepper(10)), Source::wat(stepper(1)), Source::wat(stepper(-1))}, cases_, how_);
  ASSERT_THAT(words(rows), Each("ok"));
  EXPECT_EQ(rows[0]->outcomes[1].values[0].i32(), 130);
  EXPECT_TRUE(rows[1]->reload.no_change);
  EXPECT_EQ(rows[1]->outcomes[1].values[0].i32(), 103);
  EXPECT_EQ(rows[2]->outcomes[0].values[0].i32(), 99);
  EXPECT_EQ(rows[0]->fuel_used, rows[0]->outcomes[0].fuel_used + rows[0]->outcomes[1].fuel_used);
  // The live one knows nothing of it, and no fork is left.
  EXPECT_EQ(testing::not_value(sandbox.call("add", {0}), 100), "");
  EXPECT_EQ(runtime_->list().total, 1U);
}

TEST_F(ForkEvaluationTest, CandidatesThatFailAreRows) {  // B14
  live();
  const auto rows = runtime_->evaluate_forks(
      "live",
      {Source::wasm({1, 2}), Source::wat("(module"), Source::wat(stepper(2)),
       Source::wat(R"((module (memory (export "memory") 1) (global (export "state.sum") (mut i32) (i32.const 0))
         (func (export "add") (param i32) (result i32) unreachable)))")},
      cases_, how_);
  EXPECT_THAT(words(rows), ElementsAre("rejected", "parse_failed", "ok", "ok"));
  EXPECT_TRUE(rows[2]->is_ok());
  EXPECT_FALSE(rows[3]->is_ok());
  ASSERT_EQ(rows[3]->outcomes.size(), 1U);
  EXPECT_EQ(rows[3]->outcomes[0].kind, OutcomeKind::trapped);
  EXPECT_EQ(runtime_->list().total, 1U);
}

TEST_F(ForkEvaluationTest, ASandboxThatIsNotThereFailsEveryRow) {  // B04
  EXPECT_THAT(words(runtime_->evaluate_forks("none", {Source::wat("(module)"), Source::wat("(module)")}, cases_, how_)),
              Each("not_found"));
  Sandbox sandbox = live();
  ASSERT_TRUE(sandbox.stop());
  EXPECT_THAT(words(runtime_->evaluate_forks("live", {Source::wat(stepper(1))}, cases_, how_)), Each("rejected"));
}

TEST_F(ForkEvaluationTest, WhenItsTimeIsOverNoForkIsLeft) {  // B08, B18
  live();
  const std::string endless = R"((module (memory (export "memory") 1)
    (global (export "state.sum") (mut i32) (i32.const 0))
    (func (export "add") (param i32) (result i32) (loop $l (br $l)) (i32.const 0))))";
  const auto rows = runtime_->evaluate_forks("live", {Source::wat(stepper(2)), Source::wat(endless)}, cases_, how_,
                                             {.time_max = std::chrono::milliseconds(300)});
  EXPECT_THAT(words(rows), ElementsAre("ok", "cancelled"));
  expect_soon([&] { return runtime_->list().total == 1 ? "" : "a fork is left"; });
}

}  // namespace
}  // namespace petri
