#include "base/threads/thread_pool.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <filesystem>
#include <future>
#include <latch>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "base/threads/stack.h"

namespace petri {
namespace {

// The threads of a pool that have run something for it.
class ThreadsSeen {
 public:
  void add_this() {
    const std::lock_guard lock(mutex_);
    seen_.insert(std::this_thread::get_id());
  }
  std::size_t count() const { return seen_.size(); }

 private:
  std::mutex mutex_;
  std::set<std::thread::id> seen_;
};

TEST(ThreadPool, RunsEveryTaskOnceInOrderOnOneThread) {
  std::vector<int> order;
  {
    ThreadPool pool({.threads_max = 1});
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(pool.submit([&order, i] { order.push_back(i); }));
  }
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(ThreadPool, StartsAsManyThreadsAsThereAreTasksAtOnce) {
  std::latch all_running(3);
  std::atomic<int> met = 0;
  {
    ThreadPool pool({.threads_max = 3});
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(pool.submit([&] {
        all_running.arrive_and_wait();
        ++met;
      }));
    }
  }
  EXPECT_EQ(met, 3);
}

TEST(ThreadPool, RefusesATaskWhenItsQueueIsFull) {
  std::atomic<int> runs = 0;
  {
    ThreadPool pool({.threads_max = 1, .queue_max = 2});
    std::promise<void> entered;
    std::promise<void> leave;
    ASSERT_TRUE(pool.submit([&] {
      entered.set_value();
      leave.get_future().wait();
    }));
    entered.get_future().wait();

    EXPECT_TRUE(pool.submit([&] { ++runs; }));
    EXPECT_TRUE(pool.submit([&] { ++runs; }));
    const auto refused = pool.submit([&] { ++runs; });
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::queue_full);

    leave.set_value();
    ASSERT_TRUE(pool.run(1, [](unsigned) {}));
    EXPECT_EQ(runs, 2);
    EXPECT_TRUE(pool.submit([] {}));
  }
}

TEST(ThreadPool, FinishesWhatItAcceptedBeforeItIsGone) {
  std::atomic<int> runs = 0;
  {
    ThreadPool pool({.threads_max = 2});
    for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(pool.submit([&] { ++runs; }));
  }
  EXPECT_EQ(runs, 1'000);
}

TEST(ThreadPool, FinishesWhatTasksSubmittedToo) {
  std::atomic<int> depth = 0;
  ThreadPool pool({.threads_max = 2});
  std::promise<void> last;
  std::function<void()> again = [&] {
    if (++depth == 50) return last.set_value();
    ASSERT_TRUE(pool.submit(again));
  };
  ASSERT_TRUE(pool.submit(again));
  last.get_future().wait();
  EXPECT_EQ(depth, 50);
}

TEST(ThreadPool, LetsGoOfATaskBeforeItTakesTheNext) {
  ThreadPool pool({.threads_max = 1});
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  ASSERT_TRUE(pool.submit([held = std::move(held)] {}));
  ASSERT_TRUE(pool.run(1, [&](unsigned) { EXPECT_TRUE(seen.expired()); }));
}

TEST(ThreadPool, IsBusyWhenTheMachineGivesNoThreads) {
  ThreadPool pool({.stack_bytes = std::size_t{1} << 60});
  EXPECT_EQ(pool.submit([] {}).error().code, ErrorCode::busy);
  EXPECT_EQ(pool.run(2, [](unsigned) { ADD_FAILURE() << "nothing is called"; }).error().code, ErrorCode::busy);
}

TEST(ThreadPool, RunsAllPartsAtOnceOnLargeStacks) {
  ThreadPool pool({});
  for (int round = 0; round < 3; ++round) {
    std::barrier all_here(4);
    std::atomic<unsigned> parts{0};
    ASSERT_TRUE(pool.run(4, [&](unsigned part) {
      all_here.arrive_and_wait();
      parts |= 1U << part;
      EXPECT_GT(stack_bytes_left(), kLargeStackBytes - (1 << 20));
    }));
    EXPECT_EQ(parts, 0b1111U);
  }
}

TEST(ThreadPool, RunsMorePartsThanItMayHaveThreads) {
  ThreadPool pool({.threads_max = 2, .queue_max = 1});
  std::atomic<unsigned> parts{0};
  ASSERT_TRUE(pool.run(10, [&](unsigned) { ++parts; }));
  EXPECT_EQ(parts, 10U);
}

TEST(ThreadPool, DoesEachPieceOfWorkOnce) {
  ThreadPool pool({});
  std::vector<int> done(1'000, 0);
  pool.for_each(done.size(), [&](std::size_t index) { ++done[index]; });
  EXPECT_EQ(done, std::vector<int>(1'000, 1));
  pool.for_each(0, [](std::size_t) { FAIL(); });
}

TEST(ThreadPool, DoesWorkOnTheThreadThatAsksWhenThereIsNoOther) {
  ThreadPool pool({.stack_bytes = std::size_t{1} << 60});
  std::vector<int> done(10, 0);
  pool.for_each(done.size(), [&](std::size_t index) { ++done[index]; });
  EXPECT_EQ(done, std::vector<int>(10, 1));
}

TEST(ThreadPool, KeepsItsThreads) {
  ThreadPool pool({});
  ThreadsSeen threads;
  for (int round = 0; round < 20; ++round) ASSERT_TRUE(pool.run(1, [&](unsigned) { threads.add_this(); }));
  EXPECT_LE(threads.count(), 2U);
}

TEST(ThreadPool, KeepsNoMoreIdleThreadsThanItMay) {
  ThreadPool pool({.idle_max = 0});
  const auto alive = [] { return std::distance(std::filesystem::directory_iterator("/proc/self/task"), {}); };
  const auto before = alive();
  for (int round = 0; round < 3; ++round) {
    std::barrier all_here(8);
    ASSERT_TRUE(pool.run(8, [&](unsigned) { all_here.arrive_and_wait(); }));
  }
  while (alive() > before) std::this_thread::yield();
}

// A part may itself need threads: it gets others.
TEST(ThreadPool, ServesCallsFromInsideItsOwnThreads) {
  ThreadPool pool({});
  std::atomic<int> inner{0};
  ASSERT_TRUE(pool.run(2, [&](unsigned) { EXPECT_TRUE(pool.run(2, [&](unsigned) { ++inner; })); }));
  EXPECT_EQ(inner, 4);
}

}  // namespace
}  // namespace petri
