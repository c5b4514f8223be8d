#include "cli/outcome_text.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

using namespace std::chrono_literals;

TEST(OutcomeText, SummarisesInOneLine) {
  const Outcome outcome{.fuel_used = 1234, .memory_peak_bytes = 65536, .wall_time = 12us, .tier = Tier::compiled};
  EXPECT_EQ(summary_text(outcome), "ok: 1,234 fuel, 64 KiB peak memory, 12 µs, compiled");
}

TEST(OutcomeText, NamesTheLimitThatWasMet) {
  const Limits limits{.execution_time_max = 50ms,
                      .memory_bytes_max = 1 << 20,
                      .fuel_max = 1000,
                      .output_bytes_max = 512,
                      .call_depth_max = 64};
  const auto reason = [&](OutcomeKind kind) { return reason_text({.kind = kind, .output_bytes_cut = 20}, limits); };
  EXPECT_EQ(reason(OutcomeKind::out_of_fuel), "out_of_fuel: the guest used all of its fuel, fuel_max = 1,000");
  EXPECT_EQ(reason(OutcomeKind::deadline), "deadline: the guest ran longer than execution_time_max = 50 ms");
  EXPECT_EQ(reason(OutcomeKind::memory_limit), "memory_limit: the guest needs more than memory_bytes_max = 1 MiB");
  EXPECT_EQ(reason(OutcomeKind::stack_overflow),
            "stack_overflow: the guest's calls nest deeper than call_depth_max = 64");
  EXPECT_EQ(reason(OutcomeKind::output_limit),
            "output_limit: the guest wrote more than output_bytes_max = 512 B; 20 B cut off");
}

TEST(OutcomeText, SaysNothingMoreOfAGoodEnd) {
  EXPECT_EQ(reason_text({.kind = OutcomeKind::ok}, {}), "");
  EXPECT_EQ(reason_text({.kind = OutcomeKind::exited, .exit_code = 0}, {}), "");
  EXPECT_EQ(reason_text({.kind = OutcomeKind::exited, .exit_code = 3}, {}), "exited: the guest ended with code 3");
}

TEST(OutcomeText, SaysWhereAGuestEndedThatWasNeverCalled) {  // A10
  const Outcome outcome{.kind = OutcomeKind::trapped, .place = Place::start, .trap = TrapCode::unreachable};
  EXPECT_EQ(reason_text(outcome, {}),
            "trapped: it reached an unreachable instruction (unreachable) in its start function");
}

TEST(OutcomeText, ListsFramesInnermostFirst) {
  const Outcome outcome{.backtrace = {{.function = 3, .offset = 79, .name = "a"}, {.function = 4, .offset = 90}}};
  EXPECT_EQ(backtrace_text(outcome), "  at a (function 3, byte 0x4f)\n  at (function 4, byte 0x5a)\n");
}

}  // namespace
}  // namespace petri::cli
