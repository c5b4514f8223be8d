// Every limit in every place and both tiers: what ends, what is refused, who is notified. Q05 to Q19, Q23, R06, R22.
#include <gtest/gtest.h>

#include <fstream>
#include <ostream>

#include "kill_matrix.h"
#include "without_containment.h"

namespace petri {

std::ostream& operator<<(std::ostream& out, const KillVerdict& verdict) {
  return out << "\"" << verdict.verdict << "\", told \"" << verdict.events << "\", then \"" << verdict.after << "\"";
}

namespace {

class KillMatrixTest : public ::testing::TestWithParam<Tier> {};

TEST_P(KillMatrixTest, EndsOrRefusesAsTheTableSays) {
  RuntimeOptions options = without_containment();
  options.compile.in_process = true;  // limits of running code; those of compiling it have tests of their own
  const auto runtime = *Runtime::create(std::move(options));
  for (const KillRow& row : kill_rows()) {
    for (const KillPlace place : row.places) {
      EXPECT_EQ(observe_kill(*runtime, row, place, GetParam()).verdict, row.expected(place))
          << row.limit << " in " << name_of(place) << ": " << row.what;
    }
  }
  EXPECT_EQ(runtime->list().total, 0U);
  EXPECT_EQ(runtime->info().memory_bytes, 0U);
}

// The committed page without its times.
std::vector<std::string> lines_of_the_page() {
  std::ifstream page(PETRI_TESTS_FOLDER "/../docs/kill-matrix.md");
  std::vector<std::string> lines;
  for (std::string line; std::getline(page, line);) {
    constexpr int kCells = 6;
    std::size_t end = 0;
    for (int cell = 0; cell < kCells && end != std::string::npos; ++cell) end = line.find(" |", end + 1);
    const bool is_row = line.starts_with("| ") && !line.starts_with("| limit ") && end != std::string::npos;
    if (is_row) lines.push_back(line.substr(0, end + 2));
  }
  return lines;
}

TEST(KillMatrixPage, SaysWhatTheTableSays) {
  std::vector<std::string> expected;
  for (const KillRow& row : kill_rows()) {
    for (const KillPlace place : row.places) expected.push_back(table_line(row, place, row.expected(place)));
  }
  EXPECT_EQ(lines_of_the_page(), expected) << "make docs/kill-matrix.md anew, as its beginning says";
}

INSTANTIATE_TEST_SUITE_P(BothTiers, KillMatrixTest, ::testing::Values(Tier::interpreted, Tier::compiled),
                         [](const auto& tier) { return std::string(name_of(tier.param)); });

}  // namespace
}  // namespace petri
