#include "base/mutex.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

namespace petri {
namespace {

using std::chrono::steady_clock;
using namespace std::chrono_literals;

TEST(Mutex, AdmitsOneThreadAtATime) {
  constexpr int kThreads = 4, kRounds = 20'000;
  Mutex mutex;
  int count = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&] {
        for (int round = 0; round < kRounds; ++round) {
          const MutexLock lock(mutex);
          ++count;
        }
      });
    }
  }
  EXPECT_EQ(count, kThreads * kRounds);
}

TEST(Mutex, IsTakenOnlyWhileItIsFree) {
  Mutex mutex;
  ASSERT_TRUE(mutex.try_lock());
  std::jthread([&mutex] { EXPECT_FALSE(mutex.try_lock()); }).join();
  mutex.unlock();
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST(Mutex, IsSmall) {
  EXPECT_EQ(sizeof(Mutex), 4);
  EXPECT_EQ(sizeof(Condition), 8);
}

// Each hands the turn to the next: a notification that got lost would leave all of them waiting.
TEST(Condition, WakesEachThreadWhoseTurnItIs) {
  constexpr int kThreads = 4, kRounds = 2'000;
  Mutex mutex;
  Condition changed;
  int turn = 0;
  {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([&, thread] {
        for (int round = 0; round < kRounds; ++round) {
          const MutexLock lock(mutex);
          while (turn % kThreads != thread) changed.wait(mutex);
          ++turn;
          changed.notify_all();
        }
      });
    }
  }
  EXPECT_EQ(turn, kThreads * kRounds);
}

TEST(Condition, WakesAThreadThatWaitsUntilADeadline) {
  Mutex mutex;
  Condition changed;
  bool done = false;
  std::jthread notifier([&] {
    const MutexLock lock(mutex);
    done = true;
    changed.notify_one();
  });
  const MutexLock lock(mutex);
  bool in_time = true;
  while (!done && in_time) in_time = changed.wait_until(mutex, steady_clock::now() + 1h);
  EXPECT_TRUE(done);
  EXPECT_TRUE(in_time);
}

TEST(Condition, StopsWaitingAtTheDeadline) {
  Mutex mutex;
  Condition changed;
  const MutexLock lock(mutex);
  const steady_clock::time_point start = steady_clock::now();
  while (changed.wait_until(mutex, start + 5ms)) {
  }
  EXPECT_GE(steady_clock::now(), start + 5ms);
  EXPECT_FALSE(changed.wait_until(mutex, start));
  EXPECT_FALSE(changed.wait_until(mutex, steady_clock::time_point::min()));
}

}  // namespace
}  // namespace petri
