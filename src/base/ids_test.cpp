#include "base/ids.h"

#include <gtest/gtest.h>

#include <string>

namespace petri {
namespace {

// L10
TEST(SandboxId, MayHaveLettersDigitsUnderscoreAndHyphen) {
  for (const std::string& id : {std::string("a"), std::string("7"), std::string("A-b_9"), std::string(64, 'x')}) {
    EXPECT_TRUE(check_sandbox_id(id)) << id;
  }
}

// L10, H01
TEST(SandboxId, IsRefusedOtherwise) {
  const std::string with_nul("a\0b", 3);
  for (const std::string& id :
       {std::string(), std::string(65, 'x'), std::string("-a"), std::string("_a"), std::string("a/b"),
        std::string("../x"), std::string("a b"), std::string("é"), with_nul}) {
    EXPECT_FALSE(is_sandbox_id(id)) << id;
    EXPECT_EQ(check_sandbox_id(id).error().code, ErrorCode::validation_failed);
  }
}

TEST(SandboxId, IsQuotedInTheErrorWithItsSpecialCharactersEscaped) {
  EXPECT_EQ(
      check_sandbox_id("a\x1b[31m\n").error().message,
      "\"a\\x1b[31m\\n\" cannot be the id of a sandbox: an id has 1 to 64 letters, digits, \"_\" or \"-\" and starts "
      "with a letter or digit");
}

}  // namespace
}  // namespace petri
