// Compiling for an evaluation: the records never depend on how it goes, and nobody waits for it.
#include <gmock/gmock.h>

#include "compiling/compile_fault.h"
#include "compiling/compile_workers.h"
#include "evaluation/candidate_set_fixture.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

class EvaluationCompile : public testing::Test {
 protected:
  ~EvaluationCompile() override { inject_compile_fault(CompileFault::none, 0); }

  static EvaluatorOptions eager(MachineCodeOptions compile = {}) {
    return {.promote_fuel = 1, .promote_fuel_per_byte = 0, .promotion_time_max = seconds(100), .compile = compile};
  }
  const CandidateSet population_{busy(300'000)};
  const std::vector<Case> cases_ = std::vector<Case>(20, Case{.arguments = {Value(1.0)}});
};

TEST_F(EvaluationCompile, AnEvaluatorEndsWithoutWaitingForAPromotion) {
  inject_compile_fault(CompileFault::never_ends);
  std::chrono::steady_clock::time_point start;
  {
    Evaluator evaluator({}, eager());
    const Evaluation evaluation = evaluate(evaluator, population_, cases_, small_spec());
    EXPECT_EQ(evaluation.records[0].outcome, OutcomeKind::ok);
    while (compile_faults_left() > 0) std::this_thread::yield();
    start = std::chrono::steady_clock::now();
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
  EXPECT_TRUE(settle_compile_workers(seconds(10)));
}

TEST_F(EvaluationCompile, WhatCannotBeCompiledInTimeIsInterpretedWithTheSameRecord) {
  Evaluator interpreter;
  const auto expected = evaluate(interpreter, population_, cases_, small_spec(), {.tier = Tier::interpreted});
  for (const CompileFault fault : {CompileFault::never_ends, CompileFault::eats_memory, CompileFault::kills_itself}) {
    inject_compile_fault(fault);
    Evaluator evaluator({}, {.compile = {.time_max = seconds(fault == CompileFault::never_ends ? 1 : 3),
                                         .memory_bytes_max = 64 << 20}});
    const auto got = evaluate(evaluator, population_, cases_, small_spec(), {.tier = Tier::compiled});
    EXPECT_EQ(got.timings[0].tier, Tier::interpreted);
    EXPECT_EQ(got.records[0].receipt, expected.records[0].receipt);
  }
}

TEST_F(EvaluationCompile, NoWorkerIsOneErrorWhenCompiledCodeIsAskedFor) {
  Evaluator evaluator({}, eager({.worker = "/nowhere/worker"}));
  EvaluationOptions options{.tier = Tier::compiled};
  const auto evaluation = evaluator.evaluate({}, cases_, small_spec(), options);
  ASSERT_FALSE(evaluation);
  EXPECT_EQ(evaluation.error().code, ErrorCode::not_found);
  EXPECT_THAT(evaluation.error().message, HasSubstr("/nowhere/worker"));
}

TEST_F(EvaluationCompile, WithoutAWorkerHotCandidatesStayInterpretedAndTheStatisticsSaySo) {
  Evaluator evaluator({}, eager({.worker = "/nowhere/worker"}));
  EXPECT_FALSE(evaluator.statistics().compiling_unavailable);
  const auto evaluation = evaluate(evaluator, population_, cases_, small_spec());
  EXPECT_EQ(evaluation.timings[0].tier, Tier::interpreted);
  while (evaluator.statistics().promotions_given_up == 0) std::this_thread::yield();
  EXPECT_TRUE(evaluator.statistics().compiling_unavailable);
}

}  // namespace
}  // namespace petri
