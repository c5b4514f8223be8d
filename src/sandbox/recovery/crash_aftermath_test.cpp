#include "sandbox/recovery/crash_aftermath.h"

#include <gtest/gtest.h>

#include <future>

#include "sandbox/reload/code_fixture.h"

namespace petri {
namespace {

using CrashAftermathTest = CodeFixture;

Clock::TimePoint in_an_hour() { return std::chrono::steady_clock::now() + std::chrono::hours(1); }

TEST_F(CrashAftermathTest, IsOverWhereAllLiveAndNothingIsDecided) {
  set_running();
  run("one");
  aftermath().wait(in_an_hour());
  EXPECT_EQ(waits_, 0);
}

TEST_F(CrashAftermathTest, IsWaitedForWhereATreeHasAnExitToDealWith) {
  set_running();
  settled_ = false;
  aftermath().wait(in_an_hour());
  EXPECT_EQ(waits_, 1);
}

TEST_F(CrashAftermathTest, IsWaitedForWhereAProcessIsDown) {
  set_running();
  ASSERT_TRUE(processes_.place(owner_, "down", false));
  aftermath().wait(in_an_hour());
  EXPECT_EQ(waits_, 1);
}

TEST_F(CrashAftermathTest, AsksNoTreeOnceTheSandboxIsNotUp) {
  settled_ = false;
  aftermath().wait(in_an_hour());
  EXPECT_EQ(waits_, 0);
}

TEST_F(CrashAftermathTest, IsOverOnceTheDecisionWasTaken) {
  decisions_.start();
  std::atomic<bool> decided{false}, early{false};
  auto waiting = std::async(std::launch::async, [&] {
    aftermath().wait(in_an_hour());
    early = !decided;
  });
  decided = true;
  decisions_.end();
  waiting.get();
  EXPECT_FALSE(early);
}

}  // namespace
}  // namespace petri
