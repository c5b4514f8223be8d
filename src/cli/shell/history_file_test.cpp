#include "cli/shell/history_file.h"

#include <gtest/gtest.h>

namespace petri::cli {
namespace {

TEST(HistoryFile, IsWhereStateIsKept) {
  EXPECT_EQ(history_path("/state", "/elsewhere/a"), "/state/petri/history");
  EXPECT_EQ(history_path(nullptr, "/elsewhere/a"), "/elsewhere/a/.local/state/petri/history");
  EXPECT_EQ(history_path("relative", "/elsewhere/a"), "/elsewhere/a/.local/state/petri/history");
  EXPECT_EQ(history_path("", ""), std::nullopt);
  EXPECT_EQ(history_path(nullptr, nullptr), std::nullopt);
}

}  // namespace
}  // namespace petri::cli
