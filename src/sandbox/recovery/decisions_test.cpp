#include "sandbox/recovery/decisions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>

namespace petri {
namespace {

const Clock::TimePoint kLater = std::chrono::steady_clock::now() + std::chrono::hours(1);

TEST(Decisions, AreNotWaitedForWhereThereIsNone) {
  const auto workers = *Workers::create({.workers = 1});
  Decisions decisions;
  decisions.wait(*workers, kLater);
  decisions.start();
  decisions.end();
  decisions.wait(*workers, kLater);
}

TEST(Decisions, AreWaitedForUntilTheLastIsTaken) {
  const auto workers = *Workers::create({.workers = 1});
  Decisions decisions;
  decisions.start();
  decisions.start();
  std::atomic<bool> last{false}, early{false};
  auto waiting = std::async(std::launch::async, [&] {
    decisions.wait(*workers, kLater);
    early = !last;
  });
  decisions.end();
  last = true;
  decisions.end();
  waiting.get();
  EXPECT_FALSE(early);
}

TEST(Decisions, AreWaitedForNoLongerThanUntilTheDeadline) {
  const auto workers = *Workers::create({.workers = 1});
  Decisions decisions;
  decisions.start();
  decisions.wait(*workers, std::chrono::steady_clock::now());
  decisions.end();
}

}  // namespace
}  // namespace petri
