#include "cli/guest_output.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

TEST(GuestOutput, PutsALogLineOnOneLine) {
  EXPECT_EQ(log_line(LogLevel::warning, "a\nerror: b"), "log warning: a\\nerror: b\n");
}

}  // namespace
}  // namespace petri::cli
