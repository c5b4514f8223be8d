#include "process/instance/standby.h"

#include <fmt/format.h>

#include "process/process_fixture.h"

namespace petri {
namespace {

constexpr Clock::TimePoint kNever = Clock::TimePoint::max();

TEST(Standby, RunsStartFunctionsWhereThereIsNoProcess) {
  TestOwner owner;
  KillFlag flag;
  HookPort port("nobody", 1);
  Standby standby(owner, "nobody", flag);
  const auto code = [](std::string_view start) {
    return TestOwner::load(fmt::format("(module (func $begin {}) (start $begin))", start), Tier::interpreted);
  };
  LiveInstance well = standby.create(code("nop"), port);
  EXPECT_EQ(standby.begin(well, kNever)->kind, OutcomeKind::ok);
  LiveInstance trapped = standby.create(code("unreachable"), port);
  EXPECT_EQ(standby.begin(trapped, kNever)->kind, OutcomeKind::trapped);
  EXPECT_EQ(owner.account().processes(), 0U) << "no process was made for it";
  EXPECT_EQ(owner.find_process("nobody"), nullptr);
}

TEST(Standby, EndsWhatRunsWhenItsFlagIsRaised) {
  TestOwner owner;
  KillFlag flag;
  HookPort port("nobody", 1);
  Standby standby(owner, "nobody", flag);
  flag.raise();
  LiveInstance live = standby.create(
      TestOwner::load("(module (func $spin (loop $again (br $again))) (start $spin))", Tier::interpreted), port);
  EXPECT_FALSE(flag.is_raised()) << "what ended another is not meant for it";
  flag.raise();
  EXPECT_EQ(standby.begin(live, kNever)->kind, OutcomeKind::cancelled);
}

TEST(Standby, CallsAHookAndTakesItsAnswerForAnExitCode) {
  TestOwner owner;
  KillFlag flag;
  HookPort port("nobody", 1);
  Standby standby(owner, "nobody", flag);
  const auto code =
      TestOwner::load(R"((module (func (export "petri_ready") (result i32) (i32.const 3))))", Tier::interpreted);
  LiveInstance live = standby.create(code, port);
  ASSERT_TRUE(standby.begin(live, kNever));
  const auto outcome = standby.call(live, {.export_number = *code->ready}, {}, kNever);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->kind, OutcomeKind::exited);
  EXPECT_EQ(outcome->exit_code, 3);
}

}  // namespace
}  // namespace petri
