#include "sandbox/snapshots/snapshot_data.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace petri {
namespace {

TEST(CheckSameProcesses, WantsThoseOfTheSnapshotAndNoOthers) {
  SnapshotData data;
  data.processes = {{.address = "a", .module = "m"}, {.address = "b", .module = "n"}};
  const struct {
    std::vector<LivePlace> here;
    std::string refusal;
  } rows[] = {
      {{{"a", "m"}, {"b", "n"}}, ""},
      {{{"b", "n"}, {"a", "m"}}, ""},
      {{{"a", "m"}}, "the process b of the snapshot does not live now"},
      {{{"a", "m"}, {"b", "n"}, {"c", "m"}}, "the snapshot has no process c of m, which lives now"},
      {{{"a", "m"}, {"b", "m"}}, "the snapshot has no process b of m, which lives now"},
      {{}, "the process a of the snapshot does not live now"},
  };
  for (const auto& row : rows) {
    const auto checked = check_same_processes(data, row.here);
    EXPECT_EQ(checked ? "" : checked.error().message, row.refusal);
    if (!checked) {
      EXPECT_EQ(checked.error().code, ErrorCode::state_incompatible);
    }
  }
}

TEST(SnapshotData, FindsAProcessByItsAddress) {
  SnapshotData data;
  data.processes = {{.address = "a", .module = "m"}, {.address = "c", .module = "n"}};
  ASSERT_NE(data.find("c"), nullptr);
  EXPECT_EQ(data.find("c")->module, "n");
  EXPECT_EQ(data.find("b"), nullptr);
  EXPECT_EQ(data.find("d"), nullptr);
}

}  // namespace
}  // namespace petri
