#include "base/in_parallel.h"

#include <gtest/gtest.h>

#include <array>

namespace petri {
namespace {

TEST(InParallel, DoesEachPieceOnceAndReturnsWhenAllAreDone) {
  std::array<std::atomic<int>, 1'000> done{};
  in_parallel(done.size(), [&](std::size_t index) { ++done[index]; });
  for (const auto& times : done) EXPECT_EQ(times, 1);
}

TEST(InParallel, OfNothingDoesNothing) {
  in_parallel(0, [](std::size_t) { FAIL(); });
}

}  // namespace
}  // namespace petri
