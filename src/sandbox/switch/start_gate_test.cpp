#include "sandbox/switch/start_gate.h"

#include <gtest/gtest.h>

#include <future>

namespace petri {
namespace {

const Clock::TimePoint kFarAway = std::chrono::steady_clock::now() + std::chrono::hours(1);

TEST(StartGate, LetsSeveralStartAtOnce) {
  const auto workers = *Workers::create({.workers = 1});
  StartGate gate;
  gate.begin(*workers);
  gate.begin(*workers);
  EXPECT_FALSE(gate.try_hold()) << "two are starting";
  gate.end();
  EXPECT_FALSE(gate.try_hold()) << "one still is";
  gate.end();
  EXPECT_TRUE(gate.try_hold());
}

TEST(StartGate, KeepsStartsWaitingWhileItIsHeld) {
  const auto workers = *Workers::create({.workers = 1});
  StartGate gate;
  ASSERT_TRUE(gate.try_hold());
  std::atomic<bool> released{false}, early{false};
  auto start = std::async(std::launch::async, [&] {
    gate.begin(*workers);
    early = !released;
    gate.end();
  });
  released = true;
  gate.release();
  start.get();
  EXPECT_FALSE(early);
}

TEST(StartGate, WaitsForStartsUntilTheyAreOverOrItIsToldToStop) {
  const auto workers = *Workers::create({.workers = 1});
  StartGate gate;
  gate.begin(*workers);
  std::stop_source stopped;
  stopped.request_stop();
  gate.wait_for_starts(*workers, kFarAway, stopped.get_token());
  gate.wait_for_starts(*workers, Clock::TimePoint(), {});
  auto waits = std::async(std::launch::async, [&] { gate.wait_for_starts(*workers, kFarAway, {}); });
  gate.end();
  waits.get();
  EXPECT_TRUE(gate.try_hold());
}

}  // namespace
}  // namespace petri
