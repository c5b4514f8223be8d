#include "engine/give_back_memory.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <thread>
#include <vector>

namespace petri {
namespace {

// Sanitizers bring an allocator of their own.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
constexpr std::size_t kMiB = std::size_t{1} << 20;

std::uint64_t resident_bytes() {
  std::uint64_t total = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> total >> resident;
  return resident * 4'096;
}

void use_and_free(std::size_t blocks, std::size_t bytes) {
  std::vector<std::vector<char>> used;
  for (std::size_t i = 0; i < blocks; ++i) used.emplace_back(bytes, 'x');
}

TEST(KeptMemory, IsLittleThoughALargeBlockWasFreedBefore) {
  bound_kept_memory();
  std::thread([] {
    use_and_free(1, 30 * kMiB);  // without the bound, malloc would keep twice as much from now on
    const std::uint64_t before = resident_bytes();
    use_and_free(512, 64 << 10);
    EXPECT_LT(resident_bytes(), before + 4 * kMiB);
  }).join();
}

TEST(KeptMemory, IsGivenBackWhereSmallBlocksLieBetween) {
  std::vector<std::vector<char>> large, small;
  for (int i = 0; i < 512; ++i) {
    large.emplace_back(64 << 10, 'x');
    small.emplace_back(64, 'x');
  }
  const std::uint64_t before = resident_bytes();
  large.clear();
  give_back_memory();
  EXPECT_LT(resident_bytes(), before - 24 * kMiB);
}

// By a thread, which has an arena of its own, as threads of sandboxes have.
TEST(KeptMemory, IsGivenBackWhereAThreadFreedSmallBlocks) {
  bound_kept_memory();
  std::thread([] {
    const std::uint64_t before = resident_bytes();
    use_and_free(400'000, 100);
    give_back_memory();
    EXPECT_LT(resident_bytes(), before + 8 * kMiB);
  }).join();
}

#endif

}  // namespace
}  // namespace petri
