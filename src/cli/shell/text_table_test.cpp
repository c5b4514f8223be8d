#include "cli/shell/text_table.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

TEST(TextTable, HasColumnsAsWideAsTheirWidestCell) {
  EXPECT_EQ(text_table({{"id", "status"}, {"grün", "ok"}, {"a", ""}}), "id    status\ngrün  ok\na\n");
}

TEST(TextFields, LeaveOutWhatHasNoValue) {
  EXPECT_EQ(text_fields({{"a", "1"}, {"longest of all", ""}, {"bcd", "2"}}), "  a    1\n  bcd  2\n");
}

}  // namespace
}  // namespace petri::cli
