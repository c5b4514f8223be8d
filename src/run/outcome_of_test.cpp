#include "run/outcome_of.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

struct Case {
  EndKind end;
  OutcomeKind kind;
  std::string_view cause;
  bool repeatable;
  OutcomeKind kind_when_cut;
};

TEST(Verdict, FollowsFromTheEndAndFromWhetherTheAnswerWasCut) {
  const Case cases[] = {
      {EndKind::returned, OutcomeKind::ok, "", true, OutcomeKind::output_limit},
      {EndKind::trapped, OutcomeKind::trapped, "", true, OutcomeKind::trapped},
      {EndKind::out_of_fuel, OutcomeKind::out_of_fuel, "fuel_max", true, OutcomeKind::out_of_fuel},
      {EndKind::deadline, OutcomeKind::deadline, "execution_time_max", false, OutcomeKind::deadline},
      {EndKind::memory_limit, OutcomeKind::memory_limit, "memory_bytes_max", true, OutcomeKind::memory_limit},
      {EndKind::stack_overflow, OutcomeKind::stack_overflow, "call_depth_max", true, OutcomeKind::stack_overflow},
      {EndKind::exited, OutcomeKind::exited, "", true, OutcomeKind::output_limit},
      {EndKind::cancelled, OutcomeKind::cancelled, "", false, OutcomeKind::cancelled},
      {EndKind::output_limit, OutcomeKind::output_limit, "output_bytes_max", true, OutcomeKind::output_limit},
  };
  for (const Case& each : cases) {
    const Verdict whole = verdict_of({.end = {.kind = each.end}});
    EXPECT_EQ(whole.kind, each.kind);
    EXPECT_EQ(whole.cause, each.cause);
    EXPECT_EQ(whole.repeatable, each.repeatable);
    EXPECT_EQ(whole.returned, each.end == EndKind::returned);
    const Verdict cut = verdict_of({.end = {.kind = each.end}, .output_bytes_cut = 1});
    EXPECT_EQ(cut.kind, each.kind_when_cut);
    EXPECT_EQ(cut.cause, cut.kind == OutcomeKind::output_limit ? "output_bytes_max" : each.cause);
  }
}

TEST(Verdict, KeepsTrapAndExitCode) {
  EXPECT_EQ(verdict_of({.end = {.kind = EndKind::trapped, .code = 4}}).trap, TrapCode::memory_out_of_bounds);
  EXPECT_EQ(verdict_of({.end = {.kind = EndKind::exited, .code = -1}}).exit_code, -1);
  EXPECT_EQ(verdict_of({.end = {.kind = EndKind::exited, .code = 3}, .output_bytes_cut = 1}).exit_code, 3);
  EXPECT_FALSE(verdict_of({.end = {.kind = EndKind::returned, .code = 4}}).trap);
}

TEST(Verdict, NamesTheLimitThatCutTheAnswer) {
  const Verdict verdict = verdict_of({.end = {}, .output_bytes_cut = 1, .output_cut_by_memory = true});
  EXPECT_EQ(verdict.cause, "memory_bytes_max");
}

}  // namespace
}  // namespace petri
