#include "cli/exit_code.h"

#include <gtest/gtest.h>

#include <set>

namespace petri::cli {
namespace {

TEST(ExitCode, TellsBadInputFromAFailingMachine) {
  const std::set<ErrorCode> machine{ErrorCode::io_error,  ErrorCode::busy,    ErrorCode::timeout,
                                    ErrorCode::cancelled, ErrorCode::not_now, ErrorCode::engine_fault,
                                    ErrorCode::host_fault};
  for (const ErrorCode code : all_error_codes()) {
    const ExitCode expected = code == ErrorCode::start_failed ? ExitCode::guest_failure
                              : machine.contains(code)        ? ExitCode::host_failure
                                                              : ExitCode::bad_input;
    EXPECT_EQ(exit_code_for(Error{.code = code}), expected) << name_of(code);
  }
}

TEST(ExitCode, BlamesTheCallerForAFileThatCannotBeRead) {
  EXPECT_EQ(exit_code_for(Error{.code = ErrorCode::io_error}.with("path", "a.wat")), ExitCode::bad_input);
  EXPECT_EQ(exit_code_for(Error{.code = ErrorCode::io_error}), ExitCode::host_failure);
}

TEST(ExitCode, OfAnExitedGuestIsZeroOnlyForZero) {
  EXPECT_EQ(exit_code_for(Outcome{.kind = OutcomeKind::exited, .exit_code = 0}), ExitCode::ok);
  EXPECT_EQ(exit_code_for(Outcome{.kind = OutcomeKind::exited, .exit_code = 5}), ExitCode::guest_failure);
  EXPECT_EQ(exit_code_for(Outcome{.kind = OutcomeKind::exited, .exit_code = -1}), ExitCode::guest_failure);
}

TEST(ExitCode, OfEveryOtherEndButOkIsTheGuestsFailure) {
  EXPECT_EQ(exit_code_for(Outcome{.kind = OutcomeKind::ok}), ExitCode::ok);
  for (OutcomeKind kind :
       {OutcomeKind::trapped, OutcomeKind::out_of_fuel, OutcomeKind::deadline, OutcomeKind::memory_limit,
        OutcomeKind::stack_overflow, OutcomeKind::cpu_limit, OutcomeKind::output_limit, OutcomeKind::cancelled}) {
    EXPECT_EQ(exit_code_for(Outcome{.kind = kind}), ExitCode::guest_failure) << name_of(kind);
  }
}

TEST(ExitCode, NumbersAreDistinctAndLeaveOneAndTwoToShells) {
  std::set<int> numbers;
  for (const ExitCodeRule& rule : exit_code_rules()) numbers.insert(static_cast<int>(rule.code));
  EXPECT_EQ(numbers.size(), exit_code_rules().size());
  EXPECT_FALSE(numbers.contains(1));
  EXPECT_FALSE(numbers.contains(2));
}

}  // namespace
}  // namespace petri::cli
