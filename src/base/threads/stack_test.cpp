#include "base/threads/stack.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <future>
#include <latch>
#include <set>
#include <thread>
#include <vector>

#include "base/threads/large_thread.h"
#include "base/threads/thread_pool.h"

namespace petri {
namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20;

// Walks down the stack until `bytes` lie between the first frame and this one.
[[gnu::noinline]] std::size_t descend(std::uintptr_t top, std::size_t bytes) {
  volatile char frame[4096];
  frame[0] = 1;
  const auto here = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (top - here >= bytes) return 1;
  const std::size_t below = descend(top, bytes);
  return below + static_cast<std::size_t>(frame[0]);
}

std::size_t use_stack(std::size_t bytes) {
  return descend(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)), bytes);
}

ThreadPool& pool() {
  static ThreadPool threads({.idle_max = kIdleStackThreadsMax});
  return threads;
}

Result<pthread_t> thread_used(std::size_t bytes_needed) {
  return run_with_stack(&pool(), bytes_needed, [] { return Result<pthread_t>(pthread_self()); });
}

std::size_t resident_bytes() {
  std::size_t all = 0;
  std::size_t resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident * 4096;
}

// A frame of its own: the question counts from the frame that asks it.
[[gnu::noinline]] std::size_t left_below() { return stack_bytes_left(); }

TEST(StackBytesLeft, ShrinksAsTheStackGrows) {
  const std::size_t here = stack_bytes_left();
  EXPECT_GT(here, 64U << 10);
  const auto deeper = [] {
    volatile char frame[32 << 10];
    frame[0] = 0;
    return left_below() + static_cast<std::size_t>(frame[0]);
  };
  EXPECT_LE(deeper() + (32 << 10), here);
}

TEST(StackBytesLeft, KnowsTheStackOfEachThread) {
  std::size_t left = 0;
  {
    auto thread = LargeThread::start({.stack_bytes = 64 * kMiB}, [&] { left = stack_bytes_left(); });
    ASSERT_TRUE(thread);
  }
  EXPECT_GT(left, 63 * kMiB);
  EXPECT_LE(left, 64 * kMiB);
}

TEST(RunWithStack, StaysOnThisThreadWhenItHasEnough) {
  EXPECT_TRUE(pthread_equal(thread_used(1).value(), pthread_self()));
}

TEST(RunWithStack, MovesToAnotherThreadWhenThisOneHasNotEnough) {
  EXPECT_FALSE(pthread_equal(thread_used(stack_bytes_left()).value(), pthread_self()));
}

TEST(RunWithStack, GivesAsMuchStackAsWasAskedFor) {
  const auto frames = run_with_stack(&pool(), 100 * kMiB, [] { return Result<std::size_t>(use_stack(100 * kMiB)); });
  EXPECT_GT(frames.value(), 1'000U);
}

TEST(RunWithStack, GivesMoreThanAPoolThreadHas) {
  const std::size_t bytes = kLargeStackBytes + 64 * kMiB;
  const auto left = run_with_stack(&pool(), bytes, [] { return Result<std::size_t>(stack_bytes_left()); });
  EXPECT_GE(left.value(), bytes);
}

TEST(RunWithStack, StartsAThreadWhereThereIsNoPool) {
  const auto left = run_with_stack(nullptr, 100 * kMiB, [] { return Result<std::size_t>(use_stack(100 * kMiB)); });
  EXPECT_GT(left.value(), 1'000U);
}

TEST(RunWithStack, NestsWithoutAnotherThreadWhileThereIsStack) {
  const auto same = run_with_stack(&pool(), 200 * kMiB, [] {
    return Result<bool>(pthread_equal(thread_used(200 * kMiB).value(), pthread_self()) != 0);
  });
  EXPECT_TRUE(same.value());
}

TEST(RunWithStack, HandsBackErrorsAndMoveOnlyValues) {
  const auto error =
      run_with_stack(&pool(), 100 * kMiB, []() -> Result<int> { return fail(ErrorCode::not_found, "no"); });
  EXPECT_EQ(error.error().code, ErrorCode::not_found);
  const auto value =
      run_with_stack(&pool(), 100 * kMiB, [] { return Result<std::unique_ptr<int>>(std::make_unique<int>(7)); });
  EXPECT_EQ(**value, 7);
  EXPECT_TRUE(run_with_stack(&pool(), 100 * kMiB, [] { return Result<void>(); }));
}

TEST(RunWithStack, IsBusyWhenTheMachineHasNoSuchStack) {
  bool ran = false;
  for (const std::size_t bytes : {std::size_t{1} << 60, SIZE_MAX}) {
    const auto refused = run_with_stack(&pool(), bytes, [&] {
      ran = true;
      return Result<void>();
    });
    EXPECT_EQ(refused.error().code, ErrorCode::busy);
  }
  EXPECT_FALSE(ran);
}

TEST(RunWithStack, RunsManyAtOnceEachOnItsOwnThread) {
  constexpr std::ptrdiff_t kMany = 2 * static_cast<std::ptrdiff_t>(kIdleStackThreadsMax);
  std::latch all_inside(kMany);
  std::vector<std::future<std::thread::id>> callers;
  for (std::ptrdiff_t i = 0; i < kMany; ++i) {
    callers.push_back(std::async(std::launch::async, [&] {
      return run_with_stack(&pool(), 100 * kMiB,
                            [&] {
                              all_inside.arrive_and_wait();
                              return Result<std::thread::id>(std::this_thread::get_id());
                            })
          .value();
    }));
  }
  std::set<std::thread::id> threads;
  for (auto& caller : callers) threads.insert(caller.get());
  EXPECT_EQ(threads.size(), static_cast<std::size_t>(kMany));
}

TEST(RunWithStack, ReturnsTheMemoryOfADeepStack) {
  ASSERT_TRUE(run_with_stack(&pool(), 100 * kMiB, [] { return Result<void>(); }));
  const std::size_t before = resident_bytes();
  ASSERT_TRUE(run_with_stack(&pool(), 100 * kMiB, [] { return Result<std::size_t>(use_stack(100 * kMiB)); }));
  EXPECT_LT(resident_bytes(), before + 20 * kMiB);
}

TEST(LargeThread, BlocksSignalsButThoseOfFaults) {
  sigset_t mask;
  {
    auto thread = LargeThread::start({.stack_bytes = kMiB}, [&] { pthread_sigmask(SIG_BLOCK, nullptr, &mask); });
    ASSERT_TRUE(thread);
  }
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGCHLD}) EXPECT_EQ(sigismember(&mask, number), 1) << number;
  for (const int number : {SIGSEGV, SIGILL, SIGFPE, SIGBUS}) EXPECT_EQ(sigismember(&mask, number), 0) << number;
}

TEST(LargeThread, LeavesTheSignalMaskOfItsMakerAlone) {
  sigset_t mask;
  ASSERT_TRUE(LargeThread::start({.stack_bytes = kMiB}, [] {}));
  pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  EXPECT_EQ(sigismember(&mask, SIGINT), 0);
}

}  // namespace
}  // namespace petri
