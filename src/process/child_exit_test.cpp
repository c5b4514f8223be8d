#include "process/child_exit.h"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

namespace petri {
namespace {

// R27: the bytes are part of ABI 1.
TEST(ChildExit, IsAMessageOfTheChildWithItsReasonCodeAndName) {
  const Message message = child_exit_message({.reason = ChildExitReason::exited, .code = -2}, "pool/kid", true);
  EXPECT_EQ(message.kind, MessageKind::child_exit);
  EXPECT_EQ(message.sender, "pool/kid");
  EXPECT_EQ(message.tag, -2);
  EXPECT_EQ(message.bytes, std::string("\1\0\0\0\x18\0\0\0\1\0\0\0\xfe\xff\xff\xff\1\0\0\0\x08\0\0\0pool/kid", 32));
}

TEST(ChildExit, HasATagAboveAllCodesWhenTheChildDidNotExit) {
  const Message message = child_exit_message({.reason = ChildExitReason::trapped}, "a", false);
  EXPECT_EQ(message.tag, std::int64_t{3} << 32);
  EXPECT_EQ(message.bytes, std::string("\1\0\0\0\x18\0\0\0\3\0\0\0\0\0\0\0\0\0\0\0\1\0\0\0a", 25));
}

std::string file_of_tree(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(std::string(PETRI_TESTS_FOLDER) + "/../" + path).rdbuf();
  return text.str();
}

TEST(ChildExit, HasTheNumbersOfTheHeaderAndOfTheDescription) {
  const std::string header = file_of_tree("guest/c/petri.h"), description = file_of_tree("guest/abi/abi.json");
  const std::string_view names[] = {"exited", "stopped", "trapped", "limit", "cancelled", "failed"};
  for (int number = static_cast<int>(ChildExitReason::exited); number <= static_cast<int>(ChildExitReason::failed);
       ++number) {
    const std::string name(names[number - 1]);
    std::string constant = "PETRI_EXIT_" + name + " = " + std::to_string(number);
    for (char& c : constant) c = static_cast<char>(std::toupper(c));
    EXPECT_NE(header.find(constant), std::string::npos) << constant;
    const std::string row = "{\"number\": " + std::to_string(number) + ", \"name\": \"" + name + "\"";
    EXPECT_NE(description.find(row), std::string::npos) << row;
  }
}

TEST(ChildExit, FollowsFromTheOutcome) {
  const auto reason = [](OutcomeKind kind, std::string cause = {}) {
    Outcome outcome;
    outcome.kind = kind;
    outcome.cause = std::move(cause);
    return child_exit_of(outcome).reason;
  };
  EXPECT_EQ(reason(OutcomeKind::exited), ChildExitReason::exited);
  EXPECT_EQ(reason(OutcomeKind::trapped), ChildExitReason::trapped);
  EXPECT_EQ(reason(OutcomeKind::cancelled), ChildExitReason::cancelled);
  EXPECT_EQ(reason(OutcomeKind::cancelled, "messages_max"), ChildExitReason::limit);
  for (const OutcomeKind kind : {OutcomeKind::out_of_fuel, OutcomeKind::deadline, OutcomeKind::memory_limit,
                                 OutcomeKind::stack_overflow, OutcomeKind::cpu_limit, OutcomeKind::output_limit}) {
    EXPECT_EQ(reason(kind), ChildExitReason::limit) << name_of(kind);
  }
  EXPECT_EQ(child_exit_of(fail(ErrorCode::engine_fault, "broken")).reason, ChildExitReason::failed);
}

}  // namespace
}  // namespace petri
