#include "base/executor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <latch>
#include <memory>
#include <thread>
#include <vector>

#include "base/stack.h"

namespace petri {
namespace {

std::unique_ptr<Executor> make_executor(Executor::Options options) {
  auto executor = Executor::create(std::move(options));
  EXPECT_TRUE(executor);
  return std::move(*executor);
}

TEST(Executor, RunsEveryTaskOnceInOrderOnOneWorker) {
  auto executor = make_executor({.workers = 1});
  std::vector<int> order;
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(executor->submit([&order, i] { order.push_back(i); }));
  executor->drain();
  ASSERT_EQ(order.size(), 100U);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Executor, RunsAsManyTasksAtOnceAsItHasWorkers) {
  auto executor = make_executor({.workers = 3});
  std::latch all_running(3);
  std::atomic<int> met = 0;
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(executor->submit([&] {
      all_running.arrive_and_wait();
      ++met;
    }));
  }
  executor->drain();
  EXPECT_EQ(met, 3);
}

TEST(Executor, RefusesATaskWhenItsQueueIsFull) {
  auto executor = make_executor({.workers = 1, .queue_max = 2});
  std::promise<void> entered;
  std::promise<void> leave;
  ASSERT_TRUE(executor->submit([&] {
    entered.set_value();
    leave.get_future().wait();
  }));
  entered.get_future().wait();

  std::atomic<int> runs = 0;
  EXPECT_TRUE(executor->submit([&] { ++runs; }));
  EXPECT_TRUE(executor->submit([&] { ++runs; }));
  const auto refused = executor->submit([&] { ++runs; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::queue_full);

  leave.set_value();
  executor->drain();
  EXPECT_EQ(runs, 2);
  EXPECT_TRUE(executor->submit([] {}));
}

TEST(Executor, DrainsWhatTasksSubmittedToo) {
  auto executor = make_executor({.workers = 2});
  std::atomic<int> depth = 0;
  std::function<void()> again = [&] {
    if (++depth < 50) {
      ASSERT_TRUE(executor->submit(again));
    }
  };
  ASSERT_TRUE(executor->submit(again));
  executor->drain();
  EXPECT_EQ(depth, 50);
}

TEST(Executor, FinishesWhatItAcceptedBeforeItIsGone) {
  std::atomic<int> runs = 0;
  {
    auto executor = make_executor({.workers = 2});
    for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(executor->submit([&] { ++runs; }));
  }
  EXPECT_EQ(runs, 1'000);
}

TEST(Executor, LetsGoOfATaskBeforeDrainReturns) {
  auto executor = make_executor({.workers = 1});
  auto held = std::make_shared<int>(1);
  const std::weak_ptr<int> seen = held;
  ASSERT_TRUE(executor->submit([held = std::move(held)] {}));
  executor->drain();
  EXPECT_TRUE(seen.expired());
}

TEST(Executor, GivesItsWorkersLargeStacks) {
  auto executor = make_executor({.workers = 1});
  std::size_t left = 0;
  ASSERT_TRUE(executor->submit([&] { left = stack_bytes_left(); }));
  executor->drain();
  EXPECT_GT(left, kLargeStackBytes - (1 << 20));
}

TEST(Executor, NeedsAWorkerAndAQueue) {
  EXPECT_EQ(Executor::create({.workers = 0}).error().code, ErrorCode::validation_failed);
  EXPECT_EQ(Executor::create({.queue_max = 0}).error().code, ErrorCode::validation_failed);
}

TEST(Executor, IsBusyWhenTheMachineGivesNoThreads) {
  EXPECT_EQ(Executor::create({.stack_bytes = std::size_t{1} << 60}).error().code, ErrorCode::busy);
}

}  // namespace
}  // namespace petri
