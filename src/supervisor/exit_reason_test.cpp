#include "supervisor/exit_reason.h"

#include <gtest/gtest.h>

namespace petri {
namespace {

// S06 S07 S08
TEST(ExitReason, DecidesWithTheRestartTypeWhoIsStartedAnew) {
  struct Row {
    RestartType type;
    bool normal, shutdown, abnormal;
  };
  const Row rows[] = {{RestartType::permanent, true, true, true},
                      {RestartType::transient, false, false, true},
                      {RestartType::temporary, false, false, false}};
  for (const Row& row : rows) {
    EXPECT_EQ(should_restart(row.type, ExitReason::normal), row.normal) << name_of(row.type);
    EXPECT_EQ(should_restart(row.type, ExitReason::shutdown), row.shutdown) << name_of(row.type);
    EXPECT_EQ(should_restart(row.type, ExitReason::abnormal), row.abnormal) << name_of(row.type);
  }
}

// S07
TEST(ExitReason, IsNormalOnlyForAGuestThatWasDone) {
  EXPECT_EQ(exit_reason_of({.kind = OutcomeKind::ok}), ExitReason::normal);
  EXPECT_EQ(exit_reason_of({.kind = OutcomeKind::exited, .exit_code = 0}), ExitReason::normal);
  EXPECT_EQ(exit_reason_of({.kind = OutcomeKind::exited, .exit_code = 3}), ExitReason::abnormal);
  for (const OutcomeKind kind : {OutcomeKind::trapped, OutcomeKind::out_of_fuel, OutcomeKind::deadline,
                                 OutcomeKind::memory_limit, OutcomeKind::cancelled}) {
    EXPECT_EQ(exit_reason_of({.kind = kind}), ExitReason::abnormal) << name_of(kind);
  }
}

TEST(ExitReason, HasANameForEach) {
  EXPECT_EQ(name_of(ExitReason::normal), "normal");
  EXPECT_EQ(name_of(ExitReason::shutdown), "shutdown");
  EXPECT_EQ(name_of(ExitReason::abnormal), "abnormal");
}

}  // namespace
}  // namespace petri
