#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <csignal>
#include <thread>

#include "compiling/compile_fault.h"
#include "compiling/compile_workers.h"
#include "compiling/compile_workers_fixture.h"

namespace petri {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::StartsWith;

TEST_F(CompileWorkersTest, AModuleBecomesMachineCode) {
  const auto code = compile();
  ASSERT_TRUE(code) << code.error().message;
  EXPECT_THAT(std::string(code->begin(), code->end()), StartsWith("\x7f"
                                                                  "ELF"));
}

TEST_F(CompileWorkersTest, OneWorkerServesOneAfterTheOther) {
  ASSERT_TRUE(compile());
  const auto before = children();
  for (int times = 0; times < 20; ++times) ASSERT_TRUE(compile());
  EXPECT_EQ(children(), before);
}

TEST_F(CompileWorkersTest, WhatIsNoModuleIsTheCompilersFailure) {
  const auto code = compile({}, {1, 2, 3});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::engine_fault);
  EXPECT_THAT(code.error().message, HasSubstr("the compiler failed"));
}

// Output that an engine's panic prints must not be taken for anything by the other children.
TEST_F(CompileWorkersTest, WhatACompilerPrintsGoesNowhere) {
  for (int times = 0; times < 5; ++times) {
    const auto printed = compile_with(CompileFault::prints);
    ASSERT_FALSE(printed);
    EXPECT_THAT(printed.error().message, HasSubstr("Broken pipe"));
    EXPECT_TRUE(compile());
  }
}

// HF08
TEST_F(CompileWorkersTest, ACompilationThatNeverEndsIsKilledAtItsDeadline) {
  const auto code = compile_with(CompileFault::never_ends, {.time_max = milliseconds(100)});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::timeout);
  EXPECT_THAT(code.error().message, HasSubstr("100 ms"));
  EXPECT_TRUE(compile());
  children();
  EXPECT_FALSE(has_zombies());
}

// 14 KB that the compiler took 110 seconds for, and another that took 1.8 GiB.
TEST_F(CompileWorkersTest, ABranchBombIsKilledAtItsDeadline) {
  const auto start = std::chrono::steady_clock::now();
  const auto code = compile({.time_max = milliseconds(300), .memory_bytes_max = 4096 * kMiB}, branch_bomb(500, 8'192));
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::timeout) << code.error().message;
  EXPECT_LT(std::chrono::steady_clock::now() - start, seconds(10));
}

// One of each thread's, and one on both at a time.
TEST_F(CompileWorkersTest, ABranchBombGetsNoMoreMemoryThanItMayHave) {
  for (const std::uint8_t functions : {1, 4}) {
    const Bytes bomb = branch_bomb(500, 2'000, functions);
    const auto code = compile({.time_max = seconds(120), .memory_bytes_max = 32 * kMiB}, bomb);
    ASSERT_FALSE(code);
    EXPECT_EQ(code.error().code, ErrorCode::limit_exceeded) << code.error().message;
  }
}

TEST_F(CompileWorkersTest, MemoryIsLimited) {
  const auto code = compile_with(CompileFault::eats_memory, {.memory_bytes_max = 64 * kMiB});
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::limit_exceeded);
  EXPECT_THAT(code.error().message, HasSubstr("64 MiB"));
}

// HF08
TEST_F(CompileWorkersTest, ACompilerThatCrashesTakesNobodyWithIt) {
  const auto code = compile_with(CompileFault::crashes);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::engine_fault);
  EXPECT_TRUE(compile());
}

// HF08
TEST_F(CompileWorkersTest, ACompilationThatIsKilledFromOutsideIsAnError) {
  const auto code = compile_with(CompileFault::kills_itself);
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::host_fault);
  EXPECT_THAT(code.error().message, HasSubstr("signal 9"));
  EXPECT_TRUE(compile());
  children();
  EXPECT_FALSE(has_zombies());
}

// HF08
TEST_F(CompileWorkersTest, AWorkerThatIsKilledWhileItCompilesIsAnError) {
  ASSERT_TRUE(compile());
  inject_compile_fault(CompileFault::never_ends);
  std::jthread killer([] {
    while (compile_faults_left() > 0) std::this_thread::yield();  // until the request is on its way
    for (const WorkerIds& ids : live_workers()) {
      ::kill(ids.process, SIGKILL);
      // An idle one dies in its own time, and would be asked to compile until then.
      siginfo_t about{};
      ::waitid(P_PID, static_cast<id_t>(ids.process), &about, WEXITED | WNOWAIT);
    }
  });
  const auto code = compile({.time_max = seconds(100)});
  killer.join();
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::host_fault) << code.error().message;
  const auto again = compile();
  EXPECT_TRUE(again) << again.error().message;
  children();
  EXPECT_FALSE(has_zombies());
}

// HF08
TEST_F(CompileWorkersTest, AnIdleWorkerThatWasKilledIsReplaced) {
  ASSERT_TRUE(compile());
  const auto before = children();
  for (const pid_t worker : before) ::kill(worker, SIGKILL);
  for (const pid_t worker : before) wait_until_zombie(worker);
  const auto code = compile();
  EXPECT_TRUE(code) << code.error().message;
  EXPECT_NE(children(), before);
  EXPECT_FALSE(has_zombies());
}

TEST_F(CompileWorkersTest, AStopAbandonsTheCompilation) {
  std::stop_source stop;
  inject_compile_fault(CompileFault::never_ends);
  const std::jthread stopper([&stop] {
    wait_for_workers(1);
    stop.request_stop();
  });
  const auto code = compile({.time_max = seconds(100)}, kModule, stop.get_token());
  ASSERT_FALSE(code);
  EXPECT_EQ(code.error().code, ErrorCode::cancelled);
  children();
  EXPECT_FALSE(has_zombies());
}

TEST_F(CompileWorkersTest, WhoeverWaitsForAWorkerKeepsToTheDeadlineAndToTheStop) {
  const std::size_t all = CompileWorkers::workers_max();
  std::stop_source stop;
  inject_compile_fault(CompileFault::never_ends, static_cast<int>(all));
  std::vector<std::jthread> busy;
  for (std::size_t i = 0; i < all; ++i) {
    busy.emplace_back([&] { EXPECT_FALSE(compile({.time_max = seconds(100)}, kModule, stop.get_token())); });
  }
  wait_for_workers(all);
  const auto late = compile({.time_max = milliseconds(50)});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, ErrorCode::timeout);
  stop.request_stop();
  busy.clear();
  inject_compile_fault(CompileFault::none, 0);
  EXPECT_TRUE(compile());
}

TEST_F(CompileWorkersTest, ManyAtATimeShareTheWorkers) {
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 8; ++thread) {
    threads.emplace_back([this] {
      for (int times = 0; times < 10; ++times) EXPECT_TRUE(compile());
    });
  }
  threads.clear();
  EXPECT_LE(children().size(), CompileWorkers::workers_max());
}

// Four modules that take seconds kept every other from being compiled.
TEST_F(CompileWorkersTest, SmallModulesDoNotWaitBehindLargeOnes) {
  Bytes large = kModule;
  append_section(large, 0, Bytes(CompileWorkers::kSmallBytes, 0));
  const std::size_t many = CompileWorkers::workers_max() + 1;
  inject_compile_fault(CompileFault::never_ends, static_cast<int>(many));
  std::stop_source stop;
  std::vector<std::jthread> bombs;
  for (std::size_t i = 0; i < many; ++i) {
    bombs.emplace_back([&] { EXPECT_FALSE(compile({.time_max = seconds(100)}, large, stop.get_token())); });
  }
  while (static_cast<std::size_t>(compile_faults_left()) > many - (CompileWorkers::workers_max() - 1)) {
    std::this_thread::yield();
  }
  inject_compile_fault(CompileFault::none, 0);
  const auto small = compile();
  EXPECT_TRUE(small) << small.error().message;
  const auto waits = compile({.time_max = milliseconds(20)}, large);
  ASSERT_FALSE(waits);
  EXPECT_EQ(
      waits.error().message,
      "the module waited 20 ms for a compile worker, all of which are busy; try again later, or run it interpreted");
  stop.request_stop();
}

}  // namespace
}  // namespace petri
