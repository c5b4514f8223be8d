#include "bench/host_costs/host_cost.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "host/host_table.h"
#include "petri/artifact.h"

namespace petri::bench {
namespace {

TEST(HostCosts, HaveACaseForEveryFunction) {
  for (const HostFunction& function : builtin_functions()) {
    const auto is_of = [&](const HostCostCase& one) {
      return one.module == function.module && one.name == function.name;
    };
    EXPECT_TRUE(std::ranges::any_of(host_cost_cases(), is_of)) << function.module << "." << function.name;
  }
  for (const HostCostCase& one : host_cost_cases()) {
    ASSERT_NE(find_builtin(one.module, one.name), nullptr) << one.name;
    const auto artifact = Artifact::from_wat(guest_of(one), 1 << 20);
    EXPECT_TRUE(artifact) << one.name << ": " << (artifact ? "" : artifact.error().message);
  }
}

// docs/host-function-costs.md was made from these cases.
TEST(HostCosts, AreAllOnThePage) {
  std::ostringstream text;
  text << std::ifstream(std::string(PETRI_TESTS_FOLDER) + "/../docs/host-function-costs.md").rdbuf();
  const std::string page = text.str();
  for (const HostCostCase& one : host_cost_cases()) {
    const std::string row = "| `" + one.module + "` | `" + one.name + "` | " + one.what + " | ";
    EXPECT_NE(page.find(row), std::string::npos) << row << ": make the page again with host_costs";
  }
}

}  // namespace
}  // namespace petri::bench
