#include "sandbox/code/failed_sources.h"

#include <gtest/gtest.h>

#include <ctime>
#include <vector>

#include "base/clock.h"

namespace petri {
namespace {

TEST(FailedSources, LetsTheOldestGoWhenThereIsNoRoom) {
  FailedSources sources(10);
  std::vector<int> gone;
  const int owners[] = {0, 1, 2};
  for (const int& owner : owners) sources.add(&owner, 4, [&] { gone.push_back(owner); });
  EXPECT_EQ(gone, std::vector<int>{0});
  EXPECT_EQ(sources.bytes(), 8U);
  sources.remove(&owners[0]);
  EXPECT_EQ(sources.bytes(), 8U) << "it is not there any more";
  sources.remove(&owners[1]);
  EXPECT_EQ(sources.bytes(), 4U);
  sources.add(&owners[1], 11, [&] { gone.push_back(11); });
  EXPECT_EQ(gone, (std::vector<int>{0, 2, 11})) << "one too large for all of the room loses its own";
  EXPECT_EQ(sources.bytes(), 0U);
}

// Creating a sandbox looks for its own source here: those that failed before must not make that slower.
TEST(FailedSources, FindsOneAmongManyWithoutLookingAtAll) {
  constexpr std::size_t kMany = 30'000;
  FailedSources sources(kMany);
  const std::vector<char> owners(kMany);
  for (const char& owner : owners) sources.add(&owner, 1, [] {});
  const std::uint64_t before = kernel_ns(CLOCK_THREAD_CPUTIME_ID);
  for (std::size_t index = kMany; index > 0; --index) sources.remove(&owners[index - 1]);
  EXPECT_EQ(sources.bytes(), 0U);
  EXPECT_LT(kernel_ns(CLOCK_THREAD_CPUTIME_ID) - before, 1'000'000'000U);
}

}  // namespace
}  // namespace petri
