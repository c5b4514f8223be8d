#include "report/best_rows.h"

#include <gtest/gtest.h>

#include <cmath>

namespace petri {
namespace {

StoredRecord record(std::size_t row, std::uint8_t artifact, std::optional<double> score) {
  return {.record = {.row = row, .artifact = ArtifactId{.bytes = {artifact}}, .score = score}};
}

std::vector<std::size_t> rows_of(const BestRows& best) {
  std::vector<std::size_t> rows;
  for (const BestRow& row : best.rows()) rows.push_back(row.row);
  return rows;
}

TEST(BestRows, AreTheBestInTheirOrder) {
  BestRows best(3, BestScore::smallest);
  const double scores[] = {5, NAN, 1, 4, 0.5, 9};
  for (std::size_t row = 0; row < std::size(scores); ++row) {
    best.add(record(row, static_cast<std::uint8_t>(row), scores[row]));
  }
  best.add(record(6, 99, std::nullopt));
  EXPECT_EQ(rows_of(best), (std::vector<std::size_t>{4, 2, 3}));
}

TEST(BestRows, PreferTheEarlierOfEquals) {
  BestRows best(2, BestScore::largest);
  for (std::size_t row = 0; row < 4; ++row) best.add(record(row, static_cast<std::uint8_t>(row), 7));
  EXPECT_EQ(rows_of(best), (std::vector<std::size_t>{0, 1}));
}

TEST(BestRows, PreferLessFuelWhereScoresAreEqual) {
  BestRows best(2, BestScore::smallest);
  const std::uint64_t fuel[] = {9, 5, 7};
  for (std::size_t row = 0; row < std::size(fuel); ++row) {
    StoredRecord stored = record(row, static_cast<std::uint8_t>(row), 1);
    stored.record.fuel_used = fuel[row];
    best.add(stored);
  }
  EXPECT_EQ(rows_of(best), (std::vector<std::size_t>{1, 2}));
}

TEST(BestRows, HaveEachArtifactOnce) {
  BestRows best(3, BestScore::smallest);
  best.add(record(0, 1, 2));
  best.add(record(1, 1, 2));
  best.add(record(2, 2, 3));
  best.add(record(3, 1, 1));  // a host's score may differ from time to time
  EXPECT_EQ(rows_of(best), (std::vector<std::size_t>{3, 2}));
}

}  // namespace
}  // namespace petri
