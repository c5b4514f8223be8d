#include "evaluation/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <set>
#include <thread>

#include "base/stack.h"

namespace petri {
namespace {

TEST(WorkerPool, RunsAllPartsAtOnceOnLargeStacks) {
  WorkerPool pool;
  for (int round = 0; round < 3; ++round) {
    std::barrier all_here(4);
    std::atomic<unsigned> parts{0};
    ASSERT_TRUE(pool.run(4, [&](unsigned part, WorkerTurns*) {
      all_here.arrive_and_wait();
      parts |= 1U << part;
      EXPECT_GT(stack_bytes_left(), kLargeStackBytes / 2);
    }));
    EXPECT_EQ(parts, 0b1111U);
  }
}

TEST(WorkerPool, KeepsItsThreads) {
  WorkerPool pool;
  std::mutex mutex;
  std::set<std::thread::id> threads;
  for (int round = 0; round < 20; ++round) {
    ASSERT_TRUE(pool.run(1, [&](unsigned, WorkerTurns*) {
      const std::lock_guard lock(mutex);
      threads.insert(std::this_thread::get_id());
    }));
  }
  EXPECT_LE(threads.size(), 2U);
}

// A part may itself need workers: it gets others.
TEST(WorkerPool, ServesCallsFromInsideItsOwnThreads) {
  WorkerPool pool;
  std::atomic<int> inner{0};
  ASSERT_TRUE(
      pool.run(2, [&](unsigned, WorkerTurns*) { EXPECT_TRUE(pool.run(2, [&](unsigned, WorkerTurns*) { ++inner; })); }));
  EXPECT_EQ(inner, 4);
}

}  // namespace
}  // namespace petri
